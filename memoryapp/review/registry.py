"""The kinds of case there are. Each room registers its own when the product starts; this room knows none by name."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from memoryapp.ledger.models import Write
    from memoryapp.ledger.principal import Principal
    from memoryapp.review.models import Case, Decision


class Asks(StrEnum):
    """What sort of value a verdict asks for. A moment is handed on as `doors.moments.Moment`, the others as given."""

    TEXT = "text"
    MOMENT = "moment"
    CHOICE = "choice"
    FLAG = "flag"
    REFERENCE = "reference"


@dataclass(frozen=True)
class Field:
    """One thing a verdict asks for, or that may be edited before it: `name` in the edits, `label` on the page.

    A choice lists its `choices` as (value, label). A reference is the id of something.
    """

    name: str
    label: str
    asks: Asks = Asks.TEXT
    required: bool = False
    choices: tuple[tuple[str, str], ...] = ()
    help: str = ""


@dataclass(frozen=True)
class Verdict:
    """One way to settle a case. The verdicts of a kind are chosen by digit in their order.

    `remembered`: while the decision stands, the same case is never opened again. `opens` are fields that are asked
    about before it is carried out, as those that are required always are. `edits`: it is the way to edit first.
    `alone`: it settles more than its own case, so that it is not given to several at once.
    """

    key: str
    label: str
    asks: tuple[Field, ...] = ()
    rationale_required: bool = False
    remembered: bool = False
    explains: str = ""
    opens: tuple[str, ...] = ()
    edits: bool = False
    alone: bool = False


@dataclass(frozen=True)
class Suggestion:
    """What the deterministic rules would choose, and why, in one sentence."""

    verdict: str
    because: str


class Subject(NamedTuple):
    """Something a case is about, in a role its kind names. `subject_type` is registered in `sight`."""

    role: str
    subject_type: str
    subject_id: uuid.UUID


@dataclass(frozen=True)
class CaseKind:
    """A kind of case, by the room that puts it.

    * `present(by, case)`: what must be seen to decide, as plain data for a template and for REST. Under `initial`
      stands what the fields of the verdicts hold before anybody changed them (by name, or by verdict and name), under
      `options` what a reference may be, under `question` what is to be decided, in a few words.
    * `headlines(by, cases)`: a line for each of these cases of the kind by its id, in a fixed number of queries.
    * `template`: draws what `present` says, as `view`.
    * `decide(write, case, verdict, edits)`: carry the verdict out. The edits are checked and complete; the rationale is
      `write.rationale`. Raises a domain error to refuse.
    * `undo(write, decision)`: put back everything the decision's write changed, or raise Conflict naming the later
      write that stands in the way. The case itself, and cases opened or voided by the decision, are put back here.
    * `reach(write, subjects)`: how much rests on these things or was served from them, asked when a case about them is
      opened. Only what the whole workspace may see counts.
    * `alike(by, case)`: the subjects of cases like this one, whose decisions help to decide it; None for all of
      the kind. `policy(by, case)`: what the workspace's policy would do with it now and why, in a sentence.
    * `told(by, case)`: the same as plain data for REST, where `present` holds more than that.
    * `suggest(by, case)`: a suggestion or None. `blocked(by, case)`: verdicts that cannot be chosen now, each with why.
    """

    name: str
    title: str
    verdicts: tuple[Verdict, ...]
    present: Callable[[Principal, Case], dict[str, Any]]
    decide: Callable[[Write, Case, str, dict[str, Any]], None]
    undo: Callable[[Write, Decision], None]
    suggest: Callable[[Principal, Case], Suggestion | None] = field(default=lambda by, case: None)
    blocked: Callable[[Principal, Case], Mapping[str, str]] = field(default=lambda by, case: {})
    told: Callable[[Principal, Case], dict[str, Any]] | None = None
    alike: Callable[[Principal, Case], Any] = field(default=lambda by, case: None)
    policy: Callable[[Principal, Case], str] = field(default=lambda by, case: "")
    reach: Callable[[Write, Sequence[Subject]], int] = field(default=lambda write, subjects: 0)
    explains: str = ""
    headlines: Callable[[Principal, Sequence[Case]], Mapping[uuid.UUID, str]] = field(default=lambda by, cases: {})
    template: str = "review/cases/plain.html"

    def verdict(self, key: str) -> Verdict | None:
        """The verdict of this key, if the kind has it."""
        return next((verdict for verdict in self.verdicts if verdict.key == key), None)

    @property
    def remembered(self) -> list[str]:
        """Keys of the verdicts after which the same case is not opened again."""
        return [verdict.key for verdict in self.verdicts if verdict.remembered]


_kinds: dict[str, CaseKind] = {}


def register(kind: CaseKind) -> None:
    """Add a kind of case. Registering a name again replaces it."""
    keys = [verdict.key for verdict in kind.verdicts]
    if len(set(keys)) != len(keys) or not keys:
        raise ValueError(f"{kind.name}: verdicts need keys, each once.")
    _kinds[kind.name] = kind


def kind_named(name: str) -> CaseKind:
    """The kind of a stored case. KeyError means that its room is not registered: a mistake of the product."""
    return _kinds[name]


def kinds() -> list[CaseKind]:
    """Every kind, by title."""
    return sorted(_kinds.values(), key=lambda kind: kind.title)
