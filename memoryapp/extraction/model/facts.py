"""What the model says of persons and things by themselves, as proposals of properties and edges.

The words stand in the turn, the names stand in the turn, and a value is of the form its property declares. What is not
declared is a candidate all the same: the memory refuses and parks it, as it does whoever proposes it.
"""

from __future__ import annotations

import json
import uuid
from typing import Any

from memoryapp.doors.errors import DomainError
from memoryapp.extraction.candidates import Proposed
from memoryapp.extraction.model import prompt
from memoryapp.extraction.model.windows import Passage, Window
from memoryapp.ontology.compiled import FACT, Ontology
from memoryapp.sources.models import Speaker

UNNAMED_CLASS = "thing"


def proposed(
    window: Window,
    said: prompt.Fact,
    ontology: Ontology,
    speakers: dict[str, uuid.UUID],
    dates: dict[str, str],
) -> Proposed | None:
    """One fact as a proposal, or nothing where it names what was not said, says two things at once, or nothing."""
    passage = window.passages[said.turn] if said.turn < len(window.passages) else None
    span = passage.locate(said.quote) if passage is not None and said.quote.strip() and not passage.read else None
    if passage is None or span is None or bool(said.value.strip()) == bool(said.object.strip()):
        return None
    subject = _subject(passage, said, speakers)
    if subject is None:
        return None
    details: dict[str, Any] = {"subject": subject, "predicate": said.predicate.strip()} | dates
    if said.object.strip():
        if not _stands_there(passage, said.object):
            return None
        details["object"] = _named(said.object_class, said.object)
    else:
        node_class = _class_of(passage, said)
        if _identifies(ontology, node_class, details["predicate"]) and not _stands_there(passage, said.value):
            return None
        details["value"] = _value(ontology, node_class, details["predicate"], said.value.strip())
    content = f"{details['predicate'].replace('_', ' ')}: {said.value.strip() or said.object.strip()}"
    return Proposed(passage.source, *span, FACT, content, details, confidence=float(said.confidence))


def _subject(passage: Passage, said: prompt.Fact, speakers: dict[str, uuid.UUID]) -> dict[str, Any] | None:
    """Who speaks says the turn and never the model: the user, where it is known who that is."""
    if said.subject.strip():
        return _named(said.subject_class, said.subject) if _stands_there(passage, said.subject) else None
    node = speakers.get(str(passage.source.participant_id))
    return {"node": str(node)} if node and passage.source.speaker == Speaker.USER else None


def _named(node_class: str, name: str) -> dict[str, Any]:
    return {"class": node_class.strip() or UNNAMED_CLASS, "name": " ".join(name.split())}


def _stands_there(passage: Passage, name: str) -> bool:
    return passage.locate(name.strip()) is not None


def _class_of(passage: Passage, said: prompt.Fact) -> str:
    if said.subject.strip():
        return said.subject_class.strip() or UNNAMED_CLASS
    participant = passage.source.participant
    return participant.node_class if participant else UNNAMED_CLASS


def _identifies(ontology: Ontology, node_class: str, name: str) -> bool:
    """Whether somebody is found by such a value: then nothing but what was said may be one."""
    try:
        return any(name in key_set.properties for key_set in ontology.key_sets(node_class))
    except DomainError:
        return False


def _value(ontology: Ontology, node_class: str, name: str, text: str) -> Any:
    """The text as the declared form wants it: a number or a yes where it is one. Whether it fits says the memory."""
    try:
        schema = ontology.property(node_class, name).schema
    except DomainError:
        return text
    if schema.get("type") not in ("number", "integer", "boolean"):
        return text
    try:
        return json.loads(text.lower())
    except ValueError:
        return text
