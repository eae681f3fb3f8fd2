"""Reading what is to be written of a file: its text, what is put down beside it, what it was made from."""

from __future__ import annotations

import ipaddress
import json
import re
import uuid
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from memoryapp.access.paths import name_of, normal
from memoryapp.doors.errors import DomainError, Invalid, Violation
from memoryapp.doors.strict import unreadable_characters
from memoryapp.files.inputs import About, FileInput, LinkInput
from memoryapp.files.models import Form, Link, Version
from memoryapp.files.queries.leading import InSight
from memoryapp.ledger.models import Write
from memoryapp.ledger.principal import Principal
from memoryapp.sources.models import Source
from memoryapp.sources.queries import sources_named, taken_back

MOST_TEXT = 1_000_000
"""Characters of one file's text."""
MOST_SUMMARY = 2000
MOST_TAGS = 50
LONGEST_TAG = 100
MOST_LINKS = 200
MOST_SOURCES = 100
MOST_PROPERTIES = 10_000
"""Characters of the free keys as JSON."""
MARKDOWN = (".md", ".markdown")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
"""A host whose last part is one is an address of a machine, in whatever way it is written."""


def form_of(told: FileInput) -> str:
    """The form that a new file has when none is told."""
    if told.form:
        return told.form
    if told.url:
        return Form.URL
    return Form.MARKDOWN if name_of(told.path).lower().endswith(MARKDOWN) else Form.TEXT


def text_violations(text: str, place: str = "/content") -> list[Violation]:
    if len(text) > MOST_TEXT:
        message = f"The text has {len(text)} characters."
        return [Violation(place, "too_long", message, f"at most {MOST_TEXT} characters")]
    if what := unreadable_characters(text):
        return [Violation(place, "unreadable_text", f"The text holds {what}.", "text without it")]
    return []


def url_violations(told: FileInput, form: str) -> list[Violation]:
    """A url is where its text once stood. It is never opened here; one that points at a machine within is refused."""
    if form != Form.URL:
        extra = [name for name, value in (("url", told.url), ("taken_at", told.taken_at)) if value]
        return [Violation(f"/{one}", "not_a_url", "Only the form url has this.", "form url") for one in extra]
    wrong = []
    if told.taken_at is None:
        wrong.append(Violation("/taken_at", "required", "Say when the text stood there.", "a time"))
    if not _is_public(told.url):
        accepted = "a public http or https address of at most 2000 characters"
        wrong.append(Violation("/url", "not_a_public_url", "This is no public web address.", accepted))
    return wrong


def _is_public(url: str) -> bool:
    if len(url) > 2000 or any(character.isspace() or ord(character) < 32 for character in url):
        return False
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").rstrip(".").lower()
        parts.port  # noqa: B018  a port that is none raises
    except ValueError:
        return False
    if parts.scheme not in ("http", "https") or not host or parts.username is not None:
        return False
    try:
        return ipaddress.ip_address(host).is_global
    except ValueError:
        within = host == "localhost" or host.endswith((".localhost", ".local", ".internal"))
        return "." in host and not within and not _NUMBER.fullmatch(host.rpartition(".")[2])


def about_violations(about: About) -> list[Violation]:
    wrong: list[Violation] = []
    if about.summary is not None and (len(about.summary) > MOST_SUMMARY or unreadable_characters(about.summary)):
        wrong.append(Violation("/summary", "not_a_summary", "This cannot be a summary.", f"{MOST_SUMMARY} characters"))
    for row, tag in enumerate(about.tags or ()):
        if not tag.strip() or len(tag) > LONGEST_TAG or unreadable_characters(tag):
            wrong.append(Violation(f"/tags/{row}", "not_a_tag", "This cannot be a tag.", f"1 to {LONGEST_TAG} letters"))
    if len(about.tags or ()) > MOST_TAGS:
        wrong.append(Violation("/tags", "too_many", "There are too many tags.", f"at most {MOST_TAGS}"))
    if about.properties is not None and len(json.dumps(about.properties)) > MOST_PROPERTIES:
        wrong.append(Violation("/properties", "too_long", "This is too much.", f"at most {MOST_PROPERTIES} characters"))
    if len(about.links or ()) > MOST_LINKS:
        wrong.append(Violation("/links", "too_many", "There are too many links.", f"at most {MOST_LINKS}"))
    for row, link in enumerate(about.links or ()):
        wrong += _link_violations(link, f"/links/{row}/target")
    return wrong


def _link_violations(link: LinkInput, place: str) -> list[Violation]:
    try:
        link_target(link, place)
    except Invalid as error:
        return list(error.violations)
    return []


def link_target(link: LinkInput, place: str = "/links") -> str:
    """What a link leads to, in the form in which it is kept. Raises Invalid."""
    if link.to == Link.To.FILE:
        return normal(link.target, place)
    try:
        return str(uuid.UUID(link.target))
    except ValueError as error:
        raise Invalid.at(place, "not_an_id", f"This is no id of a {link.to}.", "an id") from error


def told_links(by: Principal, about: About, before: Version | None) -> list[dict[str, str]] | None:
    """The links as they are from now on: those that are told, and those before of which the writer cannot know. Raises
    Invalid for one to what is not in the writer's sight, whether it is among those before or not."""
    if about.links is None:
        return None
    told = [{"to": link.to, "target": link_target(link)} for link in about.links]
    old = before.links if before else []
    seen = InSight(by, [(one["to"], one["target"]) for one in (*told, *old)])
    wrong = [
        Violation(f"/links/{row}/target", f"no_such_{one['to']}", f"There is no such {one['to']}.", _LED_TO[one["to"]])
        for row, one in enumerate(told)
        if not seen.holds(one["to"], one["target"])
    ]
    if wrong:
        raise Invalid.all(wrong)
    kept = told + [one for one in old if not seen.holds(one["to"], one["target"])]
    return [one for row, one in enumerate(kept) if one not in kept[:row]]


_LED_TO = {"file": "a path that you may read"} | {
    what: f"the id of a {what} of this workspace" for what in ("node", "belief", "episode", "source")
}


def told_about(by: Principal, about: About, before: Version | None) -> dict[str, Any]:
    """Summary, tags, free keys and links as they are from now on. Raises Invalid for a link to what is not there."""
    links = told_links(by, about, before)
    return {
        "summary": about.summary if about.summary is not None else before.summary if before else "",
        "tags": sorted(set(about.tags)) if about.tags is not None else before.tags if before else [],
        "properties": about.properties if about.properties is not None else before.properties if before else {},
        "links": links if links is not None else before.links if before else [],
    }


def read_sources(write: Write, ids: Sequence[uuid.UUID]) -> list[Source]:
    """The sources that a file is made from. Raises Invalid for what is not there, is taken back, or was told to few:
    a file has no readers of its own, so whoever may read its path would read what was not meant for them."""
    if not ids:
        return []
    if len(ids) > MOST_SOURCES:
        raise Invalid.at("/sources", "too_many", "There are too many sources.", f"at most {MOST_SOURCES}")
    found, _ = sources_named(write.by, list(ids), [])
    gone = taken_back(list(found))
    wrong = [
        Violation(f"/sources/{row}", "no_such_source", "There is no such source.", "the id of a source that stands")
        for row, one in enumerate(ids)
        if one not in found or one in gone
    ]
    wrong += [
        Violation(f"/sources/{row}", "wider_than_source", "It was told to few.", "sources that everybody here may read")
        for row, one in enumerate(ids)
        if one in found and one not in gone and found[one].audience_id
    ]
    if wrong:
        raise Invalid.all(wrong)
    return [found[one] for one in dict.fromkeys(ids)]


def in_row(error: DomainError, row: int) -> list[Violation]:
    """The violations of a refusal, with the row of the batch they belong to."""
    found = error.violations or (Violation("", error.code, error.detail),)
    return [Violation(one.path, one.code, one.message, one.accepted, row) for one in found]
