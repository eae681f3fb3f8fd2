"""What is told of an entry, checked whole before anything is stored."""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from memoryapp.context.inputs import EntryInput, LinkInput
from memoryapp.context.models import Audience, EntryLink, EntryRevision, State
from memoryapp.doors.errors import Violation
from memoryapp.doors.moments import Moment, Precision, end_of, zone_of
from memoryapp.doors.strict import unreadable_characters
from memoryapp.graph.models import Belief, Node
from memoryapp.ledger.models import Actor, Write
from memoryapp.ontology.normalise import normal_text
from memoryapp.sources.audiences import audience_of, within_all
from memoryapp.sources.models import Source
from memoryapp.sources.queries import taken_back

LONGEST_SECTION = 100
LONGEST_TITLE = 200
LONGEST_CONTENT = 20_000
LONGEST_REASON = 2000
MOST_LINKS = 20

SAID = (
    *("state", "audience", "section", "section_key", "section_position", "title", "title_key", "content", "position"),
    *("pinned", "expires_at", "expires_precision", "expires_zone", "ends_at"),
)
"""The columns of a revision that say something, besides why."""

Target = tuple[str, uuid.UUID]


@dataclass
class Draft:
    """What a revision will say: its columns, and what it is linked to, in order."""

    said: dict[str, Any] = field(default_factory=dict)
    links: list[Target] = field(default_factory=list)
    readers: list[Actor] = field(default_factory=list)
    reason: str = ""
    wrong: list[Violation] = field(default_factory=list)

    def add(self, path: str, code: str, message: str, accepted: str = "") -> None:
        self.wrong.append(Violation(path, code, message, accepted))

    @property
    def name(self) -> tuple[str, str]:
        """By what an entry is known among those that stand."""
        return self.said["section_key"], self.said["title_key"]


def drafted(write: Write, told: EntryInput) -> Draft:
    """The beginning of a new entry, with all that is wrong in it."""
    draft = Draft({"state": State.SET, "position": 0, "section_position": 0})
    read_section(draft, told.section)
    read_title(draft, told.title)
    read_content(draft, told.content)
    draft.said["pinned"] = told.pinned
    read_expiry(draft, write, told.expires_at)
    read_links(draft, write, told.links)
    read_audience(draft, write, told.audience, told.readers)
    if not draft.wrong:
        keep_within(draft, write)
    return draft


def said_by(revision: EntryRevision) -> Draft:
    """What a revision says, as the beginning of the next."""
    links = EntryLink.objects.filter(revision=revision).order_by("position")
    return Draft({name: getattr(revision, name) for name in SAID}, [target_of(one) for one in links])


def target_of(link: EntryLink) -> Target:
    if link.node_id:
        return "node", link.node_id
    if link.belief_id:
        return "belief", link.belief_id
    assert link.source_id is not None
    return "source", link.source_id


def read_section(draft: Draft, section: str) -> None:
    _line(draft, "section", section, LONGEST_SECTION)


def read_title(draft: Draft, title: str) -> None:
    _line(draft, "title", title, LONGEST_TITLE)


def _line(draft: Draft, name: str, text: str, longest: int) -> None:
    if odd := unreadable_characters(text):
        draft.add(f"/{name}", "not_text", f"The text holds {odd}.", "readable text")
    elif not normal_text(text):
        draft.add(f"/{name}", "blank", f"An entry has a {name}.", f"1 to {longest} characters")
    elif len(text) > longest:
        draft.add(f"/{name}", "too_long", "This is too long.", f"at most {longest} characters")
    draft.said |= {name: " ".join(text.split()), f"{name}_key": normal_text(text)}


def read_content(draft: Draft, content: str) -> None:
    """Take what it says. Empty is empty everywhere."""
    if odd := unreadable_characters(content):
        draft.add("/content", "not_text", f"The text holds {odd}.", "readable text")
    elif len(content) > LONGEST_CONTENT:
        draft.add("/content", "too_long", "This is too long.", f"at most {LONGEST_CONTENT} characters")
    draft.said["content"] = content


def read_expiry(draft: Draft, write: Write, expires: Moment | None) -> None:
    """Take when it expires. A date is over when it is over where the workspace is."""
    if expires is None:
        draft.said |= {"expires_at": None, "expires_precision": Precision.INSTANT, "expires_zone": "UTC"}
        draft.said["ends_at"] = None
        return
    draft.said |= {
        "expires_at": expires.instant,
        "expires_precision": expires.precision,
        "expires_zone": expires.zone,
        "ends_at": _end(expires, write.workspace.time_zone),
    }


def _end(expires: Moment, zone: str) -> dt.datetime:
    if expires.precision == Precision.INSTANT:
        return expires.instant
    try:
        local = expires.instant.replace(tzinfo=zone_of(zone)).astimezone(dt.UTC)
        return end_of(Moment(local, expires.precision, zone))
    except OverflowError:
        return end_of(expires)


def read_links(draft: Draft, write: Write, links: Sequence[LinkInput]) -> None:
    """Take what it is linked to, each once: what the writer may see, and of sources those that stand."""
    if len(links) > MOST_LINKS:
        draft.add("/links", "too_many", "These are too many.", f"at most {MOST_LINKS}")
        return
    seen = {
        "node": set(Node.objects.visible_to(write.by).filter(pk__in=_ids(links, "node")).values_list("pk", flat=True)),
        "belief": set(
            Belief.objects.visible_to(write.by).filter(pk__in=_ids(links, "belief")).values_list("pk", flat=True)
        ),
        "source": set(
            Source.objects.visible_to(write.by).filter(pk__in=_ids(links, "source")).values_list("pk", flat=True)
        ),
    }
    gone = taken_back(_ids(links, "source"))
    for place, link in enumerate(links):
        if link.what not in seen:
            draft.add(f"/links/{place}/what", "not_a_choice", "There is no such link.", ", ".join(seen))
        elif link.id not in seen[link.what]:
            message = f"There is no such {link.what}."
            draft.add(f"/links/{place}/id", f"no_such_{link.what}", message, f"a {link.what} of this workspace")
        elif link.id in gone:
            draft.add(f"/links/{place}/id", "taken_back", "This source was taken back.", "a source that stands")
    draft.links = list(dict.fromkeys((link.what, link.id) for link in links))


def _ids(links: Sequence[LinkInput], what: str) -> list[uuid.UUID]:
    return [link.id for link in links if link.what == what]


def read_audience(draft: Draft, write: Write, audience: str, readers: Sequence[uuid.UUID]) -> None:
    """Take whose context it is part of. Whoever keeps an entry to named readers is one of them."""
    if audience not in Audience.values:
        draft.add("/audience", "not_a_choice", "There is no such audience.", ", ".join(Audience.values))
        return
    draft.said["audience"] = audience
    if readers and audience != Audience.NAMED:
        draft.add("/readers", "not_named", "Readers are named for the audience “named”.", "audience named")
    found = list(Actor.objects.filter(workspace=write.workspace, pk__in=readers)) if readers else []
    if len(found) < len(set(readers)):
        draft.add("/readers", "no_such_actor", "There is no such actor.", "ids of members or agents of this workspace")
    draft.readers = [*found, write.actor] if audience == Audience.NAMED else []


def keep_within(draft: Draft, write: Write, named: Collection[uuid.UUID] = ()) -> None:
    """What is linked to words for few is for these, or for fewer when it says so. `named` may read it already. One that
    says again what is held for few names its readers."""
    held = [target for what, target in draft.links if what == "belief"]
    few = Belief.objects.filter(pk__in=held).exclude(audience=Audience.WORKSPACE) if held else Belief.objects.none()
    if draft.said["audience"] == Audience.WORKSPACE and few.exists():
        draft.add("/audience", "wider_than_belief", "What it is linked to is for fewer.", "the audience named")
        return
    told = Source.objects.filter(pk__in=[target for what, target in draft.links if what == "source"])
    within = within_all(audience_of(list(told)).values()) if draft.links else None
    if within is None:
        return
    if draft.said["audience"] == Audience.WORKSPACE and within:
        draft.said["audience"] = Audience.NAMED
        draft.readers = list(Actor.objects.filter(pk__in=within).order_by("pk"))
    served = {one.pk for one in draft.readers} | set(named)
    if draft.said["audience"] != Audience.NAMED or not served <= within:
        message = "What it is linked to is for fewer."
        draft.add("/audience", "wider_than_source", message, "the audience named, with readers of all its sources")


def read_reason(draft: Draft, reason: str) -> None:
    """Take why; nothing needs to be said."""
    if len(reason) > LONGEST_REASON or unreadable_characters(reason):
        draft.add("/reason", "not_text", "This cannot be kept.", f"a text of at most {LONGEST_REASON} characters")
    draft.reason = reason.strip()


def in_row(violations: Sequence[Violation], row: int | None) -> list[Violation]:
    return [replace(violation, row=row) for violation in violations]
