"""What is told of an episode, checked whole before anything is stored."""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from memoryapp.doors.errors import DomainError, Violation
from memoryapp.doors.moments import Moment, Precision, end_of
from memoryapp.doors.strict import unreadable_characters
from memoryapp.graph.identity import resolve
from memoryapp.graph.models import Node
from memoryapp.graph.statements import Quoted
from memoryapp.ledger.models import Actor, Write
from memoryapp.ontology.compiled import Ontology
from memoryapp.sources.audiences import audience_of, within_all
from memoryapp.sources.models import Source, Thread
from memoryapp.sources.queries import taken_back
from memoryapp.timeline.inputs import Happened, Taking
from memoryapp.timeline.models import Audience, Span, State

LONGEST_CONTENT = 100_000
MOST_PARTICIPANTS = 200
INSTANT = dt.timedelta(microseconds=1)
LAST = dt.datetime.max.replace(tzinfo=dt.UTC)


@dataclass
class Draft:
    """What a revision will say. `told` holds the columns that the head repeats."""

    kind: str
    content: str = ""
    properties: dict[str, Any] = field(default_factory=dict)
    told: dict[str, Any] = field(default_factory=dict)
    participants: list[tuple[Node, str]] = field(default_factory=list)
    evidence: Sequence[Quoted] = ()
    reason: str = ""
    wrong: list[Violation] = field(default_factory=list)

    def add(self, path: str, code: str, message: str, accepted: str = "") -> None:
        self.wrong.append(Violation(path, code, message, accepted))


def read_content(draft: Draft, content: str, *, needed: bool) -> None:
    """Take what it says; blank only where nothing needs to be said."""
    if odd := unreadable_characters(content):
        draft.add("/content", "not_text", f"The text holds {odd}.", "readable text")
    elif len(content) > LONGEST_CONTENT:
        draft.add("/content", "too_long", "This is too long.", f"at most {LONGEST_CONTENT} characters")
    elif needed and not content.strip():
        draft.add("/content", "blank", "An episode says what happened.", "a text, or the thread of a conversation")
    draft.content = content


def read_properties(draft: Draft, ontology: Ontology, properties: Mapping[str, Any]) -> None:
    draft.wrong += ontology.episode_property_violations(draft.kind, properties)
    draft.properties = dict(properties)


def read_happened(draft: Draft, happened: Happened) -> None:
    """Take when it was: a moment, or an interval with at most one open end."""
    if not happened:
        draft.add("/occurred_at", "missing", "An episode happened at some time.", "occurred_at, or an interval")
        return
    if happened.at and (happened.since or happened.until):
        draft.add("/occurred_at", "moment_and_interval", "It happened at a moment or in an interval, not both.", "one")
        return
    since = happened.at or happened.since
    draft.told |= bounds(since, happened.until, moment=happened.at is not None)
    begins, ends = draft.told["begins_at"], draft.told["ends_at"]
    if begins and ends and ends <= begins:
        draft.add("/occurred_to", "ends_before_beginning", "It would end before it begins.", f"after {since}")


def bounds(since: Moment | None, until: Moment | None, *, moment: bool) -> dict[str, Any]:
    """The columns that say when; the end lies after all of what its date covers."""
    last = since if moment else until
    ends = None if last is None else end_of(last) if last.precision != Precision.INSTANT else _just_after(last.instant)
    return {
        "span": Span.MOMENT if moment else Span.INTERVAL,
        "occurred_from": since.instant if since else None,
        "occurred_from_precision": since.precision if since else Precision.INSTANT,
        "occurred_to": until.instant if until else None,
        "occurred_to_precision": until.precision if until else Precision.INSTANT,
        "zone": (since or until or Moment(LAST)).zone,
        "begins_at": since.instant if since else None,
        "ends_at": ends,
        "ordered_at": since.instant if since else until.instant if until else None,
    }


def _just_after(instant: dt.datetime) -> dt.datetime:
    return instant + INSTANT if instant < LAST else instant


def read_participants(draft: Draft, write: Write, ontology: Ontology, participants: Sequence[Taking]) -> None:
    """Find who takes part; each once in a role, and in a role that the kind declares for such a node."""
    if len(participants) > MOST_PARTICIPANTS:
        draft.add("/participants", "too_many", "These are too many.", f"at most {MOST_PARTICIPANTS}")
        return
    found: list[tuple[Node, str]] = []
    for place, taking in enumerate(participants):
        path = f"/participants/{place}"
        try:
            node = resolve(write, taking.node)
        except DomainError as error:
            draft.add(f"{path}/node", error.code, error.detail, "a node of this workspace")
            continue
        if violation := ontology.participant_violation(draft.kind, taking.role, node.node_class, path):
            draft.wrong.append(violation)
        elif all((node.pk, taking.role) != (known.pk, role) for known, role in found):
            found.append((node, taking.role))
    draft.participants = found


def read_evidence(draft: Draft, evidence: Sequence[Quoted]) -> None:
    """Take what it is known from, each span once. What is taken back supports nothing."""
    gone = taken_back([one.source.pk for one in evidence])
    for place, one in enumerate(evidence):
        if one.source.pk in gone:
            draft.add(f"/evidence/{place}", "taken_back", "This source was taken back.", "a source that stands")
    draft.evidence = list({(one.source.pk, one.start): one for one in evidence}.values())


def read_audience(draft: Draft, write: Write, audience: str, readers: Sequence[uuid.UUID]) -> list[Actor]:
    """Take who may be served it; gives the named readers."""
    draft.told |= {"state": State.RECORDED, "audience": audience}
    if audience not in Audience.values:
        draft.add("/audience", "not_a_choice", "There is no such audience.", ", ".join(Audience.values))
        return []
    if readers and audience != Audience.NAMED:
        draft.add("/readers", "not_named", "Readers are named for the audience “named”.", "audience named")
    actors = list(Actor.objects.filter(workspace=write.workspace, pk__in=readers)) if readers else []
    if len(actors) < len(set(readers)):
        draft.add("/readers", "no_such_actor", "There is no such actor.", "ids of members or agents of this workspace")
    return actors


def keep_within(draft: Draft, write: Write, named: list[Actor], thread: Thread | None = None) -> list[Actor]:
    """What is known from words for few is for these, or for fewer when it says so; gives the readers."""
    told: list[Thread | Source] = [one.source for one in draft.evidence]
    within = within_all(audience_of([*told, *([thread] if thread else [])]).values())
    if within is None:
        return named
    if draft.told["audience"] == Audience.WORKSPACE and within:
        draft.told["audience"] = Audience.NAMED
        return list(Actor.objects.filter(pk__in=within))
    if draft.told["audience"] != Audience.NAMED or not {one.pk for one in named} <= within:
        message = "What it is known from is for fewer."
        draft.add("/audience", "wider_than_source", message, "the audience named, with readers of all its sources")
    return named


def in_row(violations: Sequence[Violation], row: int) -> list[Violation]:
    return [replace(violation, row=row) for violation in violations]
