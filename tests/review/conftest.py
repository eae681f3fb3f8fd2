"""A kind of case made up for these tests: pairs of letters that may or may not say the same."""

from collections.abc import Callable
from typing import Any

import pytest

from memoryapp.doors.errors import Conflict
from memoryapp.ledger.identifiers import new_id
from memoryapp.ledger.models import Write
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.review import registry, services, sight
from memoryapp.review.models import Case, Decision
from memoryapp.review.registry import Asks, CaseKind, Field, Suggestion, Verdict
from memoryapp.review.services import Subject
from memoryapp.sources.models import Thread


class Letters:
    """The room behind the kind: what it carried out and took back, and what it will refuse."""

    def __init__(self) -> None:
        self.carried_out: list[tuple[str, dict[str, Any]]] = []
        self.taken_back: list[str] = []
        self.refuses_undo = False
        self.blocked: dict[str, str] = {}
        self.then: Callable[[Write], None] = lambda write: None

    def decide(self, write: Write, case: Case, verdict: str, edits: dict[str, Any]) -> None:
        self.carried_out.append((verdict, edits))
        self.then(write)

    def undo(self, write: Write, decision: Decision) -> None:
        if self.refuses_undo:
            raise Conflict("A letter was sent since.", code="rests_on_it")
        self.taken_back.append(decision.verdict)


@pytest.fixture
def letters(monkeypatch: pytest.MonkeyPatch) -> Letters:
    monkeypatch.setattr(registry, "_kinds", dict(registry._kinds))
    monkeypatch.setattr(sight, "_types", dict(sight._types))
    room = Letters()
    registry.register(
        CaseKind(
            name="letter_pair",
            title="Two letters",
            verdicts=(
                Verdict("same", "They say the same"),
                Verdict(
                    "at_times",
                    "Both, at different times",
                    asks=(
                        Field("until", "Until when", Asks.MOMENT, required=True),
                        Field("side", "Which side", Asks.CHOICE, choices=(("left", "Left"), ("right", "Right"))),
                        Field("text", "Other words"),
                    ),
                ),
                Verdict("different", "Not the same", rationale_required=True, remembered=True),
            ),
            present=lambda by, case: {"key": case.key},
            decide=room.decide,
            undo=room.undo,
            suggest=lambda by, case: Suggestion("same", "The words are equal."),
            blocked=lambda by, case: room.blocked,
        )
    )
    sight.register(sight.SubjectType("letter"))
    sight.register(
        sight.SubjectType(
            "thread",
            hidden=lambda by: Thread.objects.filter(workspace=by.workspace, title="secret").values("pk"),
            search=lambda by, text: Thread.objects.filter(workspace=by.workspace, title__icontains=text).values("pk"),
        )
    )
    return room


@pytest.fixture
def opened(letters: Letters, operator: Principal) -> Callable[..., Case]:
    """`opened("a|b", priority=70)`: an open case about that pair."""

    def open_one(key: str = "a|b", **how: Any) -> Case:
        how = {"reason": "Two letters look alike.", "subjects": [Subject("letter", "letter", new_id())]} | how
        case = record(
            operator,
            "open",
            lambda write: services.open_case(write, kind="letter_pair", key=key, **how),
        )
        assert case is not None
        return case

    return open_one
