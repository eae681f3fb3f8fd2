"""What is erased of a member: the name of the actor and the account, once the membership has ended."""

from __future__ import annotations

from memoryapp.access.models import AccessChange, Membership, User
from memoryapp.doors.errors import Conflict
from memoryapp.ledger import erasing
from memoryapp.ledger.erasing import Eraser, Marked
from memoryapp.ledger.models import Actor, Write

NAMELESS = "Somebody erased"


def register() -> None:
    """Take part in erasures."""
    erasing.register("access", Eraser(_mark, _prepare))


def _mark(marked: Marked) -> None:
    places = Membership.objects.filter(actor__in=marked.of(Actor)).select_related("user")
    if any(place.ended_at is None for place in places):
        message = "They are a member of this workspace; end the membership first."
        raise Conflict(message, code="still_a_member")
    marked.words |= {
        word for place in places for word in (place.user.get_full_name(), place.user.email) if word and word.strip()
    }
    marked.add(AccessChange, AccessChange.objects.filter(membership__in=places).values_list("pk", flat=True))


def _prepare(write: Write, marked: Marked) -> None:
    """The account goes with its last workspace; it can sign in nowhere then."""
    actors = marked.of(Actor)
    Actor.objects.filter(pk__in=actors).update(name=NAMELESS)
    for user in User.objects.filter(memberships__actor__in=actors).distinct():
        if not user.memberships.filter(ended_at__isnull=True).exists():
            user.username, user.email, user.first_name, user.last_name = f"erased-{user.pk}", "", "", ""
            user.preferences, user.is_active = {}, False
            user.set_unusable_password()
            user.save()
