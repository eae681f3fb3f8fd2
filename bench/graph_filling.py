"""What `bench.graph` asks of: very many people with their edges, and episodes, put into the tables directly."""

from __future__ import annotations

import datetime as dt
import sys
import uuid
from collections.abc import Iterator, Sequence
from typing import Any

FAN_OUT = 20
CHUNK = 5000
BATCH = 100
START = dt.datetime(2020, 1, 1, tzinfo=dt.UTC)


def fill_nodes(by: Any, count: int, *, edges: bool = True) -> list[uuid.UUID]:
    """People with an address each, of whom each knows the next twenty: a tree of fan-out 20. Or each alone."""
    from memoryapp.ledger import prepared
    from memoryapp.ledger.identifiers import new_id
    from memoryapp.ledger.services import record

    ids = [new_id() for _ in range(count)]
    for start in range(0, count, CHUNK):

        def some(write: Any, start: int = start) -> None:
            made = people(write, ids, range(start, min(start + CHUNK, count)), edges)
            for several in made:
                prepared.insert(several)

        record(by, "fill", some)
        print(f"\r{start + CHUNK} nodes", end="", file=sys.stderr)
    print(file=sys.stderr)
    return ids


def people(write: Any, ids: Sequence[uuid.UUID], numbers: Sequence[int], edges: bool) -> Iterator[list[Any]]:
    """The rows of so many people: nodes, keys, beliefs and their states, in the order in which they refer."""
    from memoryapp.graph.models import Belief, IdentityKey, Node
    from memoryapp.graph.services import digests
    from memoryapp.graph.services.beliefs import state_of
    from memoryapp.graph.typed import TEXT, key_of
    from memoryapp.ontology.queries import current_ontology

    ontology = current_ontology(write.workspace)
    common = {"workspace": write.workspace, "write": write}
    at = {"recorded_at": write.recorded_at, "ontology_version": ontology.number}
    nodes, keys, beliefs = [], [], []
    held = {"kind": "fact", "status": "activated", "valid_from": write.recorded_at}
    for number in numbers:
        address = address_of(number)
        label, properties = address, {"email": [address]}
        node = Node(
            pk=ids[number],
            node_class="person",
            label=label,
            bare_label=address.replace("@", "").replace(".", ""),
            properties=properties,
            projected_at=write.recorded_at,
            **common,
            **at,
        )
        nodes.append(node)
        keys.append(IdentityKey(node=node, owner_class="person", key_set="email", value=address, **common))
        beliefs.append(
            Belief(
                shape="property",
                content=f"{label}'s email address is {address}",
                subject=node,
                predicate="email",
                value=address,
                value_key=key_of(address, TEXT),
                **held,
                **common,
                **at,
            )
        )
        if number and edges:
            beliefs.append(
                Belief(
                    shape="edge",
                    content=f"{address_of((number - 1) // FAN_OUT)} knows {address}",
                    subject_id=ids[(number - 1) // FAN_OUT],
                    predicate="knows",
                    object_id=ids[number],
                    **held,
                    **common,
                    **at,
                )
            )
    for belief in beliefs:
        belief.slot, belief.statement = digests.work_out(ontology, belief, "person", ())
    yield nodes
    yield keys
    yield beliefs
    yield [state_of(write, belief, [], "Filled.") for belief in beliefs]


def fill_episodes(by: Any, ids: Sequence[uuid.UUID], count: int) -> None:
    """Something every ten minutes, each time with one of them."""
    from memoryapp.ledger import prepared
    from memoryapp.ledger.services import record
    from memoryapp.timeline.models import Episode, EpisodeParticipant, EpisodeRevision

    for start in range(0, count, CHUNK):

        def some(write: Any, start: int = start) -> None:
            common = {"workspace": write.workspace, "write": write, "recorded_at": write.recorded_at}
            heads, revisions, people = [], [], []
            for number in range(start, min(start + CHUNK, count)):
                at = START + dt.timedelta(minutes=10 * number)
                told = {
                    "span": "moment",
                    "occurred_from": at,
                    "begins_at": at,
                    "ends_at": at + dt.timedelta(microseconds=1),
                    "ordered_at": at,
                }
                head = Episode(kind="event", ontology_version=1, **told, **common)
                revision = EpisodeRevision(
                    episode=head,
                    sequence=1,
                    content=f"Something, number {number}.",
                    participant_count=1,
                    **told,
                    **common,
                )
                heads.append(head)
                revisions.append(revision)
                people.append(
                    EpisodeParticipant(
                        workspace=write.workspace,
                        episode=head,
                        revision=revision,
                        node_id=ids[number % len(ids)],
                        role="participant",
                    )
                )
            for several in (heads, revisions, people):
                prepared.insert(several)

        record(by, "fill", some)
        print(f"\r{start + CHUNK} episodes", end="", file=sys.stderr)
    print(file=sys.stderr)


def address_of(number: int) -> str:
    return f"person{number}@mail.example"


def source(by: Any) -> Any:
    from memoryapp.ledger.services import record
    from memoryapp.sources.inputs import SourceInput
    from memoryapp.sources.services import read

    told = SourceInput("file", f"Said {uuid.uuid4()}", START, path=f"said/{uuid.uuid4()}.txt")
    return record(by, "read", lambda write: read(write, told)).source
