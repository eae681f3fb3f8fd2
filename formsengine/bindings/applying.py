"""Writing a submission into memory: every line of its plan once, through the same services as everything else.

Each answer that is written is stored as a source of its own, so that a belief stands on it, and beside it on the turn
that was quoted when the answer was given. What memory holds otherwise becomes a case; what a person confirmed no agent
changes, however the form is bound.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import hashlib
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from formsengine.bindings import standing
from formsengine.bindings.planning import Item, Planner, Thing
from formsengine.bindings.things import spoken
from formsengine.log.addresses import find_field
from formsengine.log.commits import Revision
from formsengine.log.memory import Write as Act
from formsengine.log.response import Response
from formsengine.models import Audience, FormOutcome, FormResponse
from memoryapp.doors import moments
from memoryapp.doors.errors import Conflict
from memoryapp.graph import changes
from memoryapp.graph.models import Belief
from memoryapp.graph.models.beliefs import Standing, Status
from memoryapp.graph.services import beliefs as believing
from memoryapp.graph.services import conflict, nodes, remembering
from memoryapp.graph.services.confirmed import may_change
from memoryapp.graph.services.nodes import NodeInput
from memoryapp.graph.statements import NodeStored, Quoted, Statement
from memoryapp.ledger.models import Write
from memoryapp.sources.models import Source
from memoryapp.sources.services import keep_answer
from memoryapp.timeline import services as timeline
from memoryapp.timeline.inputs import Amendment, EpisodeInput, Happened, Taking

DIFFERS = "A form was answered with something else."
CHANGED = "Answered anew in a form."
GONE = "It is no longer answered in the form that said it."


class Applier:
    """Carries out the plan of one submission within one write."""

    def __init__(self, write: Write, row: FormResponse, response: Response, submission: int) -> None:
        self.write, self.row, self.response, self.submission = write, row, response, submission
        self.planner = Planner(write.by, row, response, submission)
        self.sources: dict[str, Source] = {}
        self.readers = tuple(row.readers.values_list("actor", flat=True)) if row.audience == Audience.NAMED else ()
        if row.audience == Audience.NAMED:
            self.readers = tuple(sorted({*self.readers, row.opened_by_id}))

    def apply(self) -> list[FormOutcome]:
        """Write every line that is to be written. A line that was written for this submission before is left alone."""
        done = set(self.row.outcomes.filter(submission=self.submission).values_list("binding", "row"))
        made = []
        for item in self.planner.items():
            if item.act is Act.NOTHING or item.problem or (item.binding.name, item.row) in done:
                continue
            made.append(getattr(self, f"_{item.binding.into}")(item))
        return made

    def outcome(self, item: Item, *, act: str = "", **to: Any) -> FormOutcome:
        revision = self._revision(item.path)
        return FormOutcome.objects.create(
            workspace=self.write.workspace,
            response=self.row,
            submission=self.submission,
            binding=item.binding.name,
            row=item.row,
            path=item.path,
            revision=revision.id if revision else "",
            act=act or str(item.act),
            source=self.sources.get(item.path),
            write=self.write,
            recorded_at=self.write.recorded_at,
            **to,
        )

    # Entities.

    def _entity(self, item: Item) -> FormOutcome:
        thing = item.subject
        assert thing is not None
        given = NodeInput(str(item.binding.data["class"]), item.properties, self.evidence(item))
        done = nodes.store(self.write, [given], numbered=False)[0]
        thing.node, thing.label = done.node, done.node.label
        return self.outcome(item, node=done.node, case=done.conflicts[0] if done.conflicts else None)

    # Properties and edges.

    def _property(self, item: Item) -> FormOutcome:
        return self._believe(item, predicate=str(item.binding.data["property"]), value=item.answer)

    def _relation(self, item: Item) -> FormOutcome:
        to = self._node(item.object)
        return self._believe(item, predicate=str(item.binding.data["relationship"]), object=to)

    def _believe(self, item: Item, **said: Any) -> FormOutcome:
        older = item.current
        if item.act is Act.RETRACT:
            return self._retract(item)
        evidence = self.evidence(item)
        statement = Statement(
            subject=self._node(item.subject),
            evidence=evidence,
            audience="named" if self.readers else "workspace",
            readers=self.readers,
            **said,
        )
        if item.act in (Act.UPDATE, Act.SUPERSEDE) and older is not None:
            if may_change(self.write, older):
                return self._replace(item, older, statement)
            return self._doubt(item, older, statement)
        if item.act is Act.REVIEW:
            return self._doubt(item, older, statement)
        remembered = remembering.record_all(self.write, [statement], numbered=False)[0]
        case = remembered.conflicts[0] if remembered.conflicts else None
        act = "review" if remembered.outcome == "resolving" else str(item.act)
        return self.outcome(item, act=act, belief=remembered.belief, case=case)

    def _replace(self, item: Item, older: Belief, statement: Statement) -> FormOutcome:
        try:
            newer = remembering.store(
                self.write, statement, status=Status.ACTIVATED, reason="Recorded.", apart_from=older
            )
        except Conflict:
            return self._doubt(item, older, statement)
        believing.supersede(self.write, older, newer, reason=CHANGED, evidence=statement.evidence)
        changes.announce(self.write, [older, newer, *conflict.reconsider(self.write, [older, newer])])
        return self.outcome(item, belief=newer)

    def _doubt(self, item: Item, older: Belief | None, statement: Statement) -> FormOutcome:
        """Recorded beside what is held; a person decides."""
        against = [conflict.Rival(older, DIFFERS)] if older is not None else ()
        remembered = remembering.record_all(self.write, [statement], numbered=False, against=against)[0]
        case = remembered.conflicts[0] if remembered.conflicts else None
        act = "review" if remembered.outcome == "resolving" else "create"
        return self.outcome(item, act=act, belief=remembered.belief, case=case)

    def _retract(self, item: Item) -> FormOutcome:
        belief = item.prior.belief if item.prior else None
        assert belief is not None
        if may_change(self.write, belief):
            believing.change_state(self.write, belief, reason=GONE, status=Status.ARCHIVED, standing=Standing.RETRACTED)
            changes.announce(self.write, [belief, *conflict.reconsider(self.write, [belief])])
        return self.outcome(item, belief=belief)

    # Episodes.

    def _episode(self, item: Item) -> FormOutcome:
        data = item.binding.data
        prior = item.prior.episode if item.prior else None
        with _acting(self.write, "record_episodes", "withdraw"):
            if item.act is Act.RETRACT and prior is not None:
                timeline.retract(self.write, prior.pk, reason=GONE, lock=prior.lock)
                return self.outcome(item, episode=prior)
            happened = Happened(at=self._when(item))
            if prior is not None:
                amendment = Amendment(content=str(item.answer), happened=happened, evidence=self.evidence(item))
                timeline.amend(self.write, prior.pk, amendment, reason=CHANGED, lock=prior.lock)
                return self.outcome(item, episode=prior)
            people = tuple(
                Taking(node, str(each.get("role", "participant")))
                for each in data.get("participants", ())
                if (node := self._node(self.planner.thing(str(each.get("node", "")), item.row))) is not None
            )
            told = EpisodeInput(
                kind=str(data["kind"]),
                content=str(item.answer),
                happened=happened,
                participants=people,
                evidence=self.evidence(item),
                external_id=f"form/{self.row.pk}/{item.binding.name}/{item.row}".rstrip("/"),
                audience="named" if self.readers else "workspace",
                readers=self.readers,
            )
            done = timeline.record_episode(self.write, told)
        return self.outcome(item, episode=done.episode)

    def _when(self, item: Item) -> moments.Moment:
        """When it happened: as exactly as the form was told; when it was submitted, if the form does not ask."""
        name = str(item.binding.data.get("when", ""))
        kept = self.planner.kept(name, item.row) if name else None
        text = str(kept.get("start") or kept.get("end")) if isinstance(kept, dict) else str(kept or "")
        if not text:
            return moments.Moment(self.write.recorded_at)
        return moments.parse(text, time_zone=self.row.zone)

    # What stands by its name.

    def _standing(self, item: Item) -> FormOutcome:
        with _acting(self.write, "write_context", "write_files", "remove_files", "read_files"):
            return standing.applied(self, item)

    _context = _resource = _standing

    # What it stands on.

    def _node(self, thing: Thing | None) -> NodeStored | None:
        if thing is not None and thing.node is None and thing.entity is not None:
            thing = self.planner.things.get(thing.entity)
        return NodeStored(thing.node.pk) if thing is not None and thing.node is not None else None

    def _revision(self, path: str) -> Revision | None:
        taken = self.response.snapshots[self.submission]["revisions"].get(path)
        return self.response.revisions.get(taken) if taken else None

    def evidence(self, item: Item) -> tuple[Quoted, ...]:
        """The answers as sources, and the turns that were quoted with them."""
        found: list[Quoted] = []
        for name in item.binding.fields:
            path = self.planner.paths.get((name, item.row)) or self.planner.paths.get((name, ""))
            if path is None:
                continue
            source = self._source(path)
            if source is not None:
                found.append(Quoted(source))
            found.extend(self._quoted(self._revision(path)))
        self.sources.setdefault(item.path, found[0].source if found else self._whole())
        return tuple(found) or (Quoted(self._whole()),)

    def _quoted(self, revision: Revision | None) -> Iterator[Quoted]:
        named = [
            each for each in (revision.evidence if revision else ()) if isinstance(each, dict) and "source" in each
        ]
        known = Source.objects.visible_to(self.write.by).in_bulk([each["source"] for each in named])
        for each in named:
            source = known.get(uuid.UUID(str(each["source"])))
            if source is not None and source.content:
                yield Quoted(source, each.get("start"), each.get("end"))

    def _source(self, path: str) -> Source | None:
        """The answer in force at submission as a source, stored once. A computed value stands on the whole form."""
        if path in self.sources:
            return self.sources[path]
        revision = self._revision(path)
        if revision is None:
            return None
        planned = find_field(self.response.plan, self.response.rows, path).planned
        label = self.response.plan.label(planned, self.row.language)
        hidden = planned.question.sensitive
        said = "" if hidden else f": {spoken(self.response.plan, planned, revision.kept, self.row.language)}"
        by = f" (said by {revision.speaker})" if revision.speaker and not hidden else ""
        self.sources[path] = keep_answer(
            self.write,
            content=f"{label}{said}{by}",
            title=self.row.version.title,
            said_at=_instant(revision.said_at or revision.at, self.row.zone),
            said_zone=self.row.zone,
            external_id=_external(self.row, self.submission, path, revision.id),
            readers=self.readers,
        )
        return self.sources[path]

    def _whole(self) -> Source:
        """The submission itself, for what no single answer says."""
        if "" not in self.sources:
            self.sources[""] = keep_answer(
                self.write,
                content=f"{self.row.version.title}, submission {self.submission}",
                title=self.row.version.title,
                said_at=self.write.recorded_at,
                said_zone=self.row.zone,
                external_id=_external(self.row, self.submission, "", ""),
                readers=self.readers,
            )
        return self.sources[""]


def _external(row: FormResponse, submission: int, path: str, revision: str) -> str:
    mark = hashlib.sha256(path.encode()).hexdigest()[:16]
    return f"form/{row.pk}/{submission}/{mark}/{revision}".rstrip("/")


def _instant(text: str, zone: str) -> dt.datetime:
    try:
        return moments.parse(text, time_zone=zone).instant
    except moments.NotAMoment:
        return dt.datetime.fromisoformat(text)


@contextmanager
def _acting(write: Write, *capabilities: str) -> Iterator[None]:
    """The form's own right to these acts, for as long as it writes what its bindings say."""
    before = write.by
    write.by = dataclasses.replace(before, capabilities=before.capabilities | set(capabilities))
    try:
        yield
    finally:
        write.by = before
