"""What forms cost: one commit into a large form, opening it cold, and reading a large spreadsheet form.

    python -m bench.forms

The engine stores nothing, so no database takes part. Times are of the process alone (its processor time), so that
others at work on the machine do not count; the last column is what was promised.
"""

from __future__ import annotations

import io
import random
import statistics
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import openpyxl

from bench.measuring import p95
from formsengine.definition.builder import FormBuilder, must
from formsengine.definition.model import Form
from formsengine.definition.plan import Plan
from formsengine.definition.publish import publish
from formsengine.definition.rules import OWN
from formsengine.definition.stored import as_data, read, text
from formsengine.evaluation.evaluate import Evaluation
from formsengine.log.commits import Clock, Writer
from formsengine.log.response import Response, prepared, replay
from formsengine.log.writing import Patch, values, write
from formsengine.view.shown import view
from formsengine.xlsform.importing import import_xlsform

FIELDS = 500
COMMITS = 400
WRITER = Writer("ana", "browser", "bench", human=True)
BEGAN = datetime(2026, 5, 15, 9, 0, tzinfo=UTC)


def large_form() -> tuple[Form, int]:
    """500 fields in 25 steps, and how many rules they have: relevance, computed values, constraints, filters, needs."""
    form = FormBuilder("large", "A large form")
    codes = [
        {"code": f"c{each}", "label": f"Choice {each}", "attributes": {"group": f"g{each % 4}"}} for each in range(40)
    ]
    form.choices("codes", codes)
    form.choices("groups", {f"g{each}": f"Group {each}" for each in range(4)})
    rules = 0
    for step in range(25):
        with form.step(f"step{step}", f"Step {step}"):
            a = form.integer(f"a{step}", "A", constraints=[must((OWN >= 0) & (OWN < 1000))])
            b = form.integer(f"b{step}", "B", relevant=a > 3, constraints=[must(OWN <= 500, warning=True)])
            group = form.choice(f"group{step}", "groups", "Group", required=a > 5)
            form.choice(f"code{step}", "codes", "Code", filter=f"group = {group}", relevant=group != "")
            rules += 6
            before = form.computed(f"sum{step}", a + b, "Sum")
            for each in range(5):
                before = form.computed(f"chain{step}_{each}", before + each, "Chain")
            form.computed(f"large{step}", f"if({before} > 100, 'large', 'small')", "Large")
            rules += 7
            for each in range(4):
                form.asked(f"detail{step}_{each}", "Detail", relevant=before > each * 10)
            rules += 4
            for each in range(5):
                form.decimal(f"plain{step}_{each}", "Plain")
    return form.compile(), rules


def of_sheet(questions: int) -> bytes:
    """A workbook of as many questions, each third with a rule."""
    book = openpyxl.Workbook()
    sheet = book.worksheets[0]
    sheet.title = "survey"
    sheet.append(["type", "name", "label::English (en)", "label::French (fr)", "relevant", "constraint", "required"])
    for each in range(questions):
        kind = ("integer", "text", "select_one codes")[each % 3]
        relevant = f"${{q{each - 3}}} > 5" if each % 3 == 0 and each else None
        sheet.append(
            [kind, f"q{each}", f"Question {each}", f"Question {each}", relevant, None, "yes" if each % 5 else None]
        )
    lists = book.create_sheet("choices")
    lists.append(["list_name", "name", "label::English (en)", "label::French (fr)"])
    for each in range(60):
        lists.append(["codes", f"c{each}", f"Choice {each}", f"Choix {each}"])
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def answers(plan: Plan, chance: random.Random) -> dict[str, Any]:
    """One to three answers to any fields."""
    written = [each for each in plan.fields if each.question.writable]
    made: dict[str, Any] = {}
    for planned in chance.sample(written, chance.randint(1, 3)):
        match planned.question.type:
            case "integer" | "decimal":
                made[planned.name] = chance.randint(0, 400)
            case "choice":
                made[planned.name] = f"{'g' if planned.question.choices == 'groups' else 'c'}{chance.randint(0, 3)}"
            case _:
                made[planned.name] = f"Words {chance.randint(0, 99)}"
    return made


def unasked(count: int) -> bytes:
    """An XForm of nothing but fields that are worked out."""
    nodes = "".join(f"<a{number}/>" for number in range(count))
    binds = "".join(f'<bind nodeset="/form/a{number}" calculate="1"/>' for number in range(count))
    body = f"<head><model><instance><form>{nodes}</form></instance>{binds}</model></head><body/>"
    return f"<html>{body}</html>".encode()


def timed(run: Callable[[], Any], times: int = 1) -> list[float]:
    """Milliseconds of the processor for each run."""
    found = []
    for _ in range(times):
        began = time.process_time()
        run()
        found.append((time.process_time() - began) * 1000)
    return found


def anew(response: Response) -> None:
    """Everything worked out from nothing, from the answers there are."""
    Evaluation(response.prepared, response.answers, response.rows, response.conflicts).start()


def row(what: str, found: list[float], promised: str) -> None:
    print(f"| {what} | {len(found)} | {statistics.median(found):.1f} ms | {p95(found):.1f} ms | {promised} |")


def main() -> None:
    form, rules = large_form()
    stored = text(as_data(form))
    ready = prepared(publish(form))
    plan = ready.plan
    assert len(plan.fields) == FIELDS, len(plan.fields)
    chance, response, at, commits = random.Random(7), Response("bench", ready), BEGAN, list[float]()
    for _ in range(COMMITS):
        at += timedelta(minutes=1)
        patch = Patch(values(**answers(plan, chance)), base=response.number)
        before = response
        began = time.process_time()
        response = write(before, WRITER, patch, Clock(at)).response
        commits.append((time.process_time() - began) * 1000)
    log = [commit.as_data() for commit in response.commits]
    sheet = of_sheet(500)
    print(f"A form of {len(plan.fields)} fields with {rules} rules, {COMMITS} commits of 1 to 3 answers.\n")
    print("| what | runs | median | p95 | promised |\n|---|---|---|---|---|")
    row("one commit, decided and worked out", commits, "p95 10 ms")
    row(
        "the form read, compiled and worked out from nothing",
        timed(lambda: Response("cold", prepared(publish(read(stored)))), 15),
        "150 ms",
    )
    row("a response opened, its form prepared already", timed(lambda: anew(response), 15), "150 ms")
    row(f"a log of {COMMITS} commits replayed", timed(lambda: replay("bench", ready, log), 5), "")
    row("the view of now", timed(lambda: view(response), 50), "")
    row("a spreadsheet form of 500 questions read", timed(lambda: import_xlsform(sheet), 5), "3000 ms")
    for count in (4000, 8000):
        reading = partial(import_xlsform, unasked(count))
        row(f"an XForm of {count} fields that no question asks read", timed(reading, 3), "")


if __name__ == "__main__":
    main()
