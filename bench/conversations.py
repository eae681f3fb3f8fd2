"""Reads the LoCoMo conversations: turns of two people over many sessions, and questions with the turns that answer."""

from __future__ import annotations

import datetime as dt
import json
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ANSWERABLE = (1, 2, 3, 4)


@dataclass(frozen=True)
class Turn:
    key: str
    speaker: str
    text: str
    said_at: dt.datetime
    session: int
    position: int


@dataclass(frozen=True)
class Question:
    text: str
    category: int
    evidence: frozenset[str]


@dataclass(frozen=True)
class Conversation:
    name: str
    turns: list[Turn] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)


def conversations(archive: Path) -> Iterator[Conversation]:
    """The conversations of the archive by name. A picture's caption is part of what was said."""
    with zipfile.ZipFile(archive) as files:
        for name in sorted(files.namelist()):
            yield _conversation(name.removesuffix(".json"), json.loads(files.read(name)))


def _conversation(name: str, data: dict[str, Any]) -> Conversation:
    read = Conversation(name)
    sessions = sorted(int(key.split("_")[1]) for key in data if re.fullmatch(r"session_\d+", key))
    for session in sessions:
        began = dt.datetime.strptime(str(data[f"session_{session}_date_time"]), "%I:%M %p on %d %B, %Y")
        for position, turn in enumerate(data[f"session_{session}"]):
            said_at = began.replace(tzinfo=dt.UTC) + dt.timedelta(seconds=position)
            read.turns.append(
                Turn(turn["dia_id"], turn["speaker"], _said(turn), said_at, session, position),
            )
    for question in data["qa"]:
        if question["category"] in ANSWERABLE:
            evidence = frozenset(re.findall(r"D\d+:\d+", " ".join(question["evidence"])))
            read.questions.append(Question(question["question"], question["category"], evidence))
    return read


def _said(turn: dict[str, str]) -> str:
    caption = turn.get("blip_caption", "")
    return f"{turn['text']} [picture: {caption}]" if caption else turn["text"]


def recall(found: list[str], evidence: frozenset[str], at: int) -> float:
    """Share of the evidence among the first `at` found."""
    return len(evidence.intersection(found[:at])) / len(evidence)
