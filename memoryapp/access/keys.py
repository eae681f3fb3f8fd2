"""What an agent's key looks like and how it is checked. Only a keyed digest of it is ever stored."""

import hashlib
import hmac
import re
import secrets

from django.conf import settings

_ALPHABET = "abcdefghijkmnpqrstuvwxyz23456789"
_SHAPE = re.compile(r"cpl_([a-z2-9]{10})_([a-z2-9]{40})")


def new_key() -> tuple[str, str]:
    """A new key's prefix, by which people recognise it, and its full text: 200 bits that nobody can guess."""
    prefix = "".join(secrets.choice(_ALPHABET) for _ in range(10))
    secret = "".join(secrets.choice(_ALPHABET) for _ in range(40))
    return prefix, f"cpl_{prefix}_{secret}"


def prefix_of(text: str) -> str | None:
    """The prefix of something that has the shape of a key."""
    found = _SHAPE.fullmatch(text)
    return found.group(1) if found else None


def digest(text: str) -> str:
    """HMAC-SHA256 of the key under the pepper, which lives in the settings and not in the database."""
    return hmac.new(settings.KEY_PEPPER.encode(), text.encode("utf-8", "replace"), hashlib.sha256).hexdigest()


_UNKNOWN = "0" * 64


def matches(text: str, stored: str | None) -> bool:
    """Whether the key has this digest, in constant time; without a stored digest the same work is done and denied."""
    same = hmac.compare_digest(digest(text), stored or _UNKNOWN)
    return same and stored is not None
