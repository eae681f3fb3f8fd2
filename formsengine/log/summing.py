"""What a log adds up to, worked out once at its end: for whoever reads many responses and needs no state in between."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from formsengine.definition.graph import Aspect
from formsengine.definition.plan import Planned
from formsengine.evaluation.evaluate import Prepared
from formsengine.evaluation.states import Key
from formsengine.log.response import FOLDS, Response
from formsengine.log.snapshot import keys, offered, plain


def summed(id: str, ready: Prepared, commits: Iterable[Mapping[str, Any]], later: Iterable[Prepared] = ()) -> Response:
    """The response with every answer, row and value as `replay` gives them.

    What judges them is not worked out (states, findings, completeness), and which commit moved what is not kept.
    """
    made = _Sum(id, ready)
    made.known.update({each.plan.digest: each for each in later})
    for body in commits:
        number = body["number"]
        for event in body["events"]:
            FOLDS[event["event"]](made, event, number)
    made.work_out()
    return made


def answered(response: Response) -> Iterator[tuple[Planned, Key, Any]]:
    """Every answer that counts, and every computed value, as plain data, in the order of the form."""
    evaluation = response.evaluation
    for planned, key in keys(response):
        value, live = evaluation.values[key], planned.computed is not None and not planned.question.recompute_on
        if live and value is not None:
            yield planned, key, plain(value)
            continue
        answer = response.answers.get(key)
        if answer is None or answer.status != "answer" or not evaluation.relevant[key]:
            continue
        if value is not None or live or key in response.conflicts:
            yield planned, key, offered(answer.kept, set(evaluation.excluded.get(key, ())))


class _Sum(Response):
    """A response that is folded whole before anything is worked out."""

    def set_head(self, key: Key, revision: str | None, commit: int) -> None:
        self.heads[key] = revision
        self.dirty.add(key)

    def refresh(self, key: Key) -> None:
        self.dirty.add(key)

    def note_row(self, row: str, before: int | None, commit: int) -> None:
        found = self.rows.by_id[row]
        self.dirty_lists.add((found.repeat, found.parent))

    def row_place(self, row: str) -> int | None:
        return None

    def work_out(self) -> set[Key]:
        """Every value, from what follows while nothing is answered."""
        for key in self.dirty:
            super().refresh(key)
        self.evaluation = self.prepared.begun(self.answers, self.rows, self.conflicts)
        self.evaluation.work = (*self.evaluation.work[: Aspect.STATE], _unjudged, _unjudged)
        rank = self.prepared.rank
        lists = [one for one in self.dirty_lists if (Aspect.ROWS, one[0]) in rank]
        return self.evaluation.changed([key for key in self.answers if self._stands(key)], lists)

    def _stands(self, key: Key) -> bool:
        """Whether the field is asked in this row: another version may have moved it into a list, or out of one."""
        rows_of = self.plan.items[key[0]].rows_of
        return self.rows.by_id[key[1]].repeat == rows_of[-1] if rows_of and key[1] else not rows_of and not key[1]


def _unjudged(uid: str, row: str) -> bool:
    return False
