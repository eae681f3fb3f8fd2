"""Filling forms, measured: saving a field, drawing a step of sixty, taking many responses out, twenty at once.

    DATABASE_URL=sqlite:///var/bench.sqlite3 python -m bench.responses --responses 10000

The database must be empty; it is migrated. Without responses (0) only filling and the twenty are measured. Pages are
asked for through every middleware, without a socket. Times are the middle and the p95 of thirty, in milliseconds of the
clock and of the processor; last is what was promised. What is taken out is taken out twice: for the time, and for the
most memory that was held at once.
"""

from __future__ import annotations

import argparse
import os
import statistics
import threading
import time
import tracemalloc
from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from bench.measuring import p95

KINDS = 60
STEP = 60
RUNS = 30
WRITERS = 20
TURNS = 5


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--responses", type=int, default=10_000)
    options.add_argument("--profile", action="store_true", help="Say where the processor's time of a save goes.")
    asked = options.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryapp.settings")
    os.environ.setdefault("ALLOWED_HOSTS", "testserver,localhost")
    import django

    django.setup()
    import logging

    from django.core.management import call_command

    logging.disable(logging.CRITICAL)
    call_command("migrate", verbosity=0)
    call_command("collectstatic", verbosity=0, interactive=False)
    run(asked.responses, asked.profile)


def run(many: int, profile: bool) -> None:
    from django.test import Client

    from formsengine.queries import exporting, sheets
    from formsengine.queries.filled import response as found

    by, staff = _staff()
    form, row = _opened(by)
    client = Client()
    client.force_login(staff)
    at = f"/w/{by.workspace.slug}/forms/responses/{row.pk}/"
    print("| what | middle | p95 | processor, middle | promised |\n|---|---|---|---|---|")
    _told("a field saved as it is typed", *_timed(lambda n: _save(client, at, n, found(by, row.pk).lock)), "p95 60 ms")
    _told("a step of 60 fields drawn", *_timed(lambda n: client.get(at)), "150 ms")
    if profile:
        _profiled(lambda n: _save(client, at, n, found(by, row.pk).lock))
        _profiled(lambda n: client.get(at))
    _writers(by, row)
    if not many:
        return
    _many(by, many)
    pages = f"/w/{by.workspace.slug}/forms/"
    for what, at in (
        ("the responses of all forms", f"{pages}responses/"),
        ("the review queue", f"{pages}responses/?state=submitted"),
        ("the responses of one form", f"{pages}{form.pk}/"),
        ("the responses with a word", f"{pages}responses/?q=sixty"),
    ):
        count = _queries(client, at)
        _told(f"{what}, a page among {many:,}, {count} queries", *_timed(partial(_asked, client, at)), "")
    for name, taken_out in (("CSV", exporting.as_csv), ("JSON", exporting.as_json), ("XLSX", sheets.as_xlsx)):
        _taken_out(f"{many:,} responses as {name}", partial(taken_out, by, form), profile)


def _asked(client: Any, at: str, _number: int) -> Any:
    return client.get(at)


def _queries(client: Any, at: str) -> int:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    with CaptureQueriesContext(connection) as asked:
        assert client.get(at).status_code == 200
    return len(asked)


def _taken_out(what: str, taken_out: Callable[[], Iterator[str | bytes]], profile: bool) -> None:
    """By the clock and by the processor; then once more, slowly, for the most that was held at once."""
    clock, used, size = time.perf_counter(), time.process_time(), 0
    for piece in taken_out():
        size += len(piece)
    clock, used = time.perf_counter() - clock, time.process_time() - used
    tracemalloc.start()
    for _ in taken_out():
        pass
    most = tracemalloc.get_traced_memory()[1] / 1024**2
    tracemalloc.stop()
    print(f"| {what}, {size / 1024**2:.1f} MB, {most:.0f} MB at most held | {clock:.1f} s | | {used:.1f} s | 20 s |")
    if profile:
        _profiled(lambda n: deque(taken_out(), maxlen=0), 1)


def _staff() -> tuple[Any, Any]:
    from memoryapp.access import services as access
    from memoryapp.access.models import User
    from memoryapp.access.services import operator
    from memoryapp.ledger.services import record
    from memoryapp.ontology.services import found_workspace

    workspace = found_workspace("bench", "Bench", "UTC", "default")
    by = operator(workspace)
    user = User.objects.create_user("staff", password="a long enough password")
    record(by, "add", lambda write: access.create_member(write, user=user, role="admin"))
    return by, user


def _opened(by: Any) -> tuple[Any, Any]:
    from formsengine import services
    from formsengine.definition.builder import FormBuilder, must
    from formsengine.definition.rules import OWN
    from formsengine.definition.stored import as_data
    from formsengine.inputs import Opening
    from memoryapp.ledger.services import record

    form = FormBuilder("sixty", "Sixty questions")
    colours = form.choices("colours", {f"c{n}": f"Colour {n}" for n in range(6)})
    with form.step("all", "All of them"):
        for number in range(STEP // 4):
            count = form.integer(f"count{number}", f"How many {number}", constraints=[must(OWN >= 0)])
            form.asked(f"words{number}", f"In words {number}", relevant=f"coalesce({count}, 1) > 0")
            form.choice(f"colour{number}", colours, f"Which colour {number}")
            form.computed(f"twice{number}", count * 2, f"Twice {number}")
    data = as_data(form.compile())
    version = record(by, "define", lambda write: services.define(write, data))
    record(by, "publish", lambda write: services.publish(write, version))
    values = {f"{kind}{n}": given for n in range(STEP // 4) for kind, given in (("count", n), ("colour", "c1"))}
    opened = record(by, "open", lambda write: services.open_response(write, Opening("sixty", values=values)))
    return version.form, opened.row


def _save(client: Any, at: str, number: int, base: int) -> None:
    sent = {
        "base": base,
        "step": "all",
        "shown": "count3",
        "f:count3": str(number + 100),
        "device": "d",
        "key": f"k{base}",
    }
    answer = client.post(at, sent, headers={"HX-Request": "true"})
    assert answer.status_code == 200, answer.status_code


def _timed(act: Callable[[int], Any]) -> tuple[list[float], list[float]]:
    clock, processor = [], []
    for number in range(RUNS):
        begun, used = time.perf_counter(), time.process_time()
        act(number)
        clock.append((time.perf_counter() - begun) * 1000)
        processor.append((time.process_time() - used) * 1000)
    return clock, processor


def _told(what: str, clock: list[float], processor: list[float], promised: str) -> None:
    middle, used = statistics.median(clock), statistics.median(processor)
    print(f"| {what} | {middle:.0f} ms | {p95(clock):.0f} ms | {used:.0f} ms | {promised} |")


def _profiled(act: Callable[[int], Any], runs: int = RUNS) -> None:
    import cProfile
    import pstats

    profile = cProfile.Profile()
    profile.enable()
    for number in range(runs):
        act(number + 500)
    profile.disable()
    pstats.Stats(profile).sort_stats("tottime").print_stats(45)


def _writers(by: Any, row: Any) -> None:
    """Twenty at once, five answers each, to one response: every one is in its log, in force or beside another."""
    from django.db import connection

    from formsengine import queries, services
    from formsengine.inputs import Answers
    from memoryapp.ledger.services import record

    before = queries.response(by, row.pk).lock
    took: list[float] = []

    def write(number: int) -> None:
        for turn in range(TURNS):
            op = {"op": "set", "field": f"words{number % 15}", "value": f"{number} {turn}"}
            answers = Answers([op], base=before, device=str(number))
            begun = time.perf_counter()
            record(by, "write_response", partial(services.answer, response_id=row.pk, answers=answers))
            took.append((time.perf_counter() - begun) * 1000)
        connection.close()

    threads = [threading.Thread(target=write, args=(number,)) for number in range(WRITERS)]
    begun, used = time.perf_counter(), time.process_time()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    many = WRITERS * TURNS
    rate, used = many / (time.perf_counter() - begun), (time.process_time() - used) * 1000 / many
    response = queries.loaded(queries.response(by, row.pk))
    said = {str(revision.kept) for revision in response.revisions.values()}
    assert response.number == before + many
    assert said >= {f"{number} {turn}" for number in range(WRITERS) for turn in range(TURNS)}
    middle, slow = statistics.median(took), p95(took)
    print(
        f"| {WRITERS} writers at once, {rate:.0f} writes/s | {middle:.0f} ms | {slow:.0f} ms | {used:.0f} ms | 10/s |"
    )


def _many(by: Any, many: int) -> None:
    """So many responses: a few dozen that are filled by six commits, half of them submitted, each copied often."""
    from bench.filling import analyse
    from formsengine.models import FormCommit, FormResponse
    from memoryapp.ledger.identifiers import new_id

    filled = [_filled(by, number) for number in range(min(KINDS, many))]
    logs = {one.pk: list(FormCommit.objects.filter(response=one).order_by("number")) for one in filled}
    for start in range(0, many - len(filled), 500):
        responses: list[FormResponse] = []
        commits: list[FormCommit] = []
        for number in range(start, min(start + 500, many - len(filled))):
            model = filled[number % len(filled)]
            responses.append(_copied(model, id=new_id()))
            commits += [_copied(each, id=new_id(), response_id=responses[-1].pk) for each in logs[model.pk]]
        FormResponse.objects.bulk_create(responses)
        FormCommit.objects.bulk_create(commits, batch_size=500)
    analyse()


def _copied(row: Any, **other: Any) -> Any:
    return type(row)(**{field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields} | other)


def _filled(by: Any, number: int) -> Any:
    from formsengine import queries, services
    from formsengine.inputs import Answers, Opening
    from formsengine.log.writing import values
    from memoryapp.ledger.services import record

    given = {f"count{n}": n + number for n in range(STEP // 4)}
    opened = record(by, "open", lambda write: services.open_response(write, Opening("sixty", values=given)))
    wanted = opened.row.pk
    for turn in range(4):
        said = {f"colour{n}": f"c{(n + number) % 6}" for n in range(turn, STEP // 4, 4)}
        said |= {f"words{n}": f"What was said {number} of {n}, in a sentence" for n in range(turn, STEP // 4, 5)}
        answers = Answers(values(**said), base=turn + 1)
        record(by, "write_response", partial(services.answer, response_id=wanted, answers=answers))
    if number % 2:
        record(by, "submit_response", lambda write: services.submit(write, wanted, base=5))
    return queries.response(by, wanted)


if __name__ == "__main__":
    main()
