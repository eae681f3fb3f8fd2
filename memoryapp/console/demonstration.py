"""What an empty installation has to show: conversations, and a little in every other room.

Everything goes through the services that a person's page or the agent's own request would use, and every step looks for
what it would make: told again it stores nothing.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

import yaml

from formsengine import services as forms
from formsengine.definition.stored import as_data
from formsengine.examples.household import household_survey
from formsengine.examples.injury import injury_intake
from formsengine.examples.inspection import site_inspection
from formsengine.inputs import Opening
from formsengine.models import Form, FormResponse
from memoryapp.access import capabilities
from memoryapp.access import services as access
from memoryapp.access.models import Agent, Membership
from memoryapp.context import services as context
from memoryapp.context.inputs import EntryInput
from memoryapp.context.models import Entry
from memoryapp.doors.errors import Invalid
from memoryapp.files import services as files
from memoryapp.files.inputs import FileInput
from memoryapp.files.models import Entry as FileEntry
from memoryapp.graph import services as graph
from memoryapp.graph.services.nodes import NodeInput
from memoryapp.graph.statements import NodeKeys, Quoted
from memoryapp.ledger.models import Workspace, Write
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.ontology import services as ontology
from memoryapp.ontology.compiled.declared import Gap
from memoryapp.ontology.models import Proposal
from memoryapp.sources import services as sources
from memoryapp.sources.inputs import ParticipantInput, ThreadInput, TurnInput
from memoryapp.sources.models import Source

TRACE = "first-start"
TOLD = Path(__file__).with_name("demonstration.yaml")


def tell(workspace: Workspace, agent: Agent) -> None:
    """Tell all of it: the agent's part by the agent, the rest by the administrator, or the operator without one."""
    desk = _agents(agent)
    person = _person(workspace)
    if not FileEntry.objects.filter(workspace=workspace).exists():
        record(desk, "write_files", lambda write: files.write_files(write, _files()))
        record(desk, "upsert_nodes", _note_who_stands_in_the_address_book)
    for thread, participants, turns in conversations():
        record(desk, "tell", partial(sources.tell, thread=thread, participants=participants, turns=turns))
    if not Entry.objects.filter(workspace=workspace).exists():
        record(person, "set_context", lambda write: context.set_entries(write, _entries()))
    if not Form.objects.filter(workspace=workspace).exists():
        record(access.operator(workspace, trace_id=TRACE), "publish_form", _publish)
    if not FormResponse.objects.filter(workspace=workspace).exists():
        record(person, "open_response", lambda write: forms.open_response(write, _opening(person)))
    if not Proposal.objects.filter(workspace=workspace).exists():
        _want_undeclared(desk)


def conversations() -> Iterator[tuple[ThreadInput, list[ParticipantInput], list[TurnInput]]]:
    """The demonstration, thread by thread: who takes part and what was said."""
    told = _told()
    people = {key: ParticipantInput(key=key, **person) for key, person in told["participants"].items()}
    for thread in told["threads"]:
        name = thread["external_id"]
        turns = [
            TurnInput(
                speaker=people[turn["by"]].role,
                by=turn["by"],
                content=turn["text"],
                said_at=dt.datetime.fromisoformat(turn["at"]),
                message_id=f"{name}-{number}",
            )
            for number, turn in enumerate(thread["turns"], start=1)
        ]
        speaking = [person for key, person in people.items() if any(turn.by == key for turn in turns)]
        yield ThreadInput(external_id=name, title=thread["title"], time_zone=told["time_zone"]), speaking, turns


@cache
def _told() -> dict[str, Any]:
    told: dict[str, Any] = yaml.safe_load(TOLD.read_text(encoding="utf-8"))
    return told


def _agents(agent: Agent) -> Principal:
    return Principal(
        workspace=agent.workspace,
        actor=agent.actor,
        channel="command",
        capabilities=capabilities.of_surfaces(agent.surfaces),
        trace_id=TRACE,
        run="demonstration",
    )


def _person(workspace: Workspace) -> Principal:
    """The first administrator, whose own words the context holds."""
    member = Membership.objects.filter(workspace=workspace, role=Membership.Role.ADMIN, ended_at__isnull=True).first()
    if member is None:
        return access.operator(workspace, trace_id=TRACE)
    return access.principal_for_member(member.user, workspace.slug, channel="command", trace_id=TRACE)


def _files() -> list[FileInput]:
    return [FileInput(path=one["path"], content=one["text"], tell=one.get("tell", False)) for one in _told()["files"]]


def _note_who_stands_in_the_address_book(write: Write) -> None:
    """Somebody known by an initial before the whole name is told: whether the two are one is asked of a person."""
    found = _told()["address_book"]
    book = Source.objects.get(workspace=write.workspace, path=found["path"])
    start = book.content.index(found["quote"])
    quoted = Quoted(book, start, start + len(found["quote"]))
    graph.upsert_node(write, "person", found["properties"], [quoted])


def _entries() -> list[EntryInput]:
    return [EntryInput(section=one["section"], title=one["title"], content=one["text"]) for one in _told()["context"]]


def _publish(write: Write) -> None:
    for example in (injury_intake, household_survey, site_inspection):
        forms.publish(write, forms.define(write, as_data(example())))


def _opening(person: Principal) -> Opening:
    begun = _told()["response"]
    return Opening(
        form=injury_intake().id,
        subject=NodeKeys("person", begun["about"]),
        values=begun["values"],
        assigned_to=None if person.actor.kind == "system" else person.actor.pk,
    )


def _want_undeclared(desk: Principal) -> None:
    """Write things of a class that nobody declared. They are refused, kept, and one proposal asks a person for it."""
    for row in _told()["undeclared"]:
        said = Source.objects.get(workspace=desk.workspace, message_id=row["message_id"])
        properties = {"name": row["name"]}
        refused = _refusal(desk, partial(graph.upsert_nodes, nodes=[NodeInput(row["class"], properties)]))
        gap = next(each.gap for each in refused.violations if isinstance(each.gap, Gap))
        evidence = [{"source": str(said.pk), "quote": row["quote"]}]
        sent = {"class": row["class"], "properties": properties, "evidence": evidence}
        met = ontology.Met(gap, "upsert_nodes", sent, refused.violations)
        record(desk, "park", partial(ontology.meet, met=met, park=True))


def _refusal(by: Principal, act: Callable[[Write], Any]) -> Invalid:
    try:
        record(by, "upsert_nodes", act)
    except Invalid as refused:
        return refused
    raise AssertionError("What nobody declared was taken.")
