"""The log: what becomes of each operation, undo and redo, and writers who do not know of each other."""

from __future__ import annotations

from typing import Any

import pytest

from formsengine.log import lifecycle
from formsengine.log.commits import Writer
from formsengine.log.response import Response, replay
from formsengine.log.writing import Patch, write
from formsengine.problems import Refused
from tests.formsengine.filling import ANA, BEN, BOT, Filling, asks, choices, facts, form, rows, section
from tests.formsengine.forms import household

UNDO_TABLE: list[tuple[str, dict[str, Any], str | None, str | None, str | None]] = [
    # the step, what it sends, the head, where undo goes, where redo goes
    ("set A", {"op": "set", "value": "A"}, "A", None, None),
    ("set B", {"op": "set", "value": "B"}, "B", "A", None),
    ("undo", {"op": "undo"}, "A", None, "B"),
    ("set C", {"op": "set", "value": "C"}, "C", "A", None),
    ("undo", {"op": "undo"}, "A", None, "C"),
    ("redo", {"op": "redo"}, "C", "A", None),
    ("undo", {"op": "undo"}, "A", None, "C"),
    ("restore B", {"op": "restore", "revision": "B"}, "B", "A", None),
    ("retract", {"op": "retract"}, None, "B", None),
]


def test_fault_33_the_cursor_of_a_field_moves_as_the_table_says() -> None:
    """Q3: undo and redo move a cursor, each move is logged; A, B, undo, C, undo gives A."""
    filling = Filling(form(asks("x", "text")))
    ids: dict[str, str] = {}
    for step, sent, head, undo_to, redo_to in UNDO_TABLE:
        more = {"revision": ids[sent["revision"]]} if "revision" in sent else {}
        filling.patch([{**sent, **more, "field": "x"}], base=filling.response.number)
        revision = filling.response.revision(("x", ""))
        assert filling.kept("x") == head, step
        if sent["op"] == "set":
            ids[sent["value"]] = str(filling.response.heads[("x", "")])
        parent = filling.response.revisions[revision.parent].kept if revision and revision.parent else None
        stack = filling.response.redo[("x", "")]
        again = filling.response.revisions[stack[-1]].kept if stack and stack[-1] else None
        assert (parent, again) == (undo_to, redo_to), step
    moves = [event for commit in filling.response.commits for event in commit.events if event["event"] == "moved"]
    assert [event["cause"] for event in moves] == ["undo", "undo", "redo", "undo", "restore"]
    assert facts(filling.replayed()) == facts(filling.response)


def test_bare_undo_takes_back_the_newest_commit_of_the_same_party_only() -> None:
    """Q3: nobody takes back, or does again, what another one said."""
    filling = Filling(form(asks("x"), asks("y"), asks("z")))
    filling.say(x=1, y=1)
    filling.say(x=2, by=BEN)
    filling.say(z=3, by=BEN)
    filling.op("undo")
    assert (filling.kept("x"), filling.kept("y"), filling.kept("z")) == (2, None, 3)
    assert filling.verdicts() == ["skipped", "undone"]
    filling.op("undo", BEN)
    filling.op("undo", BEN)
    assert (filling.kept("x"), filling.kept("z")) == (1, None)
    with pytest.raises(Refused, match="nothing of yours"):
        filling.op("undo", BEN)
    filling.op("redo", BEN)
    assert (filling.kept("x"), filling.kept("z")) == (2, None)
    filling.op("redo", BEN)
    assert filling.kept("z") == 3
    with pytest.raises(Refused, match="nothing of yours"):
        filling.op("redo", BEN)


def test_a_new_answer_clears_redo_for_its_field_alone() -> None:
    """Q3."""
    filling = Filling(form(asks("x"), asks("y")))
    filling.say(x=1, y=1)
    filling.op("undo")
    filling.say(x=5)
    filling.op("redo")
    assert (filling.kept("x"), filling.kept("y")) == (5, 1)
    assert sorted(filling.verdicts()) == ["redone", "skipped"]


def test_a_strict_undo_refuses_whole_and_changes_nothing() -> None:
    filling = Filling(form(asks("x"), asks("y")))
    filling.say(x=1, y=1)
    filling.say(x=2, by=BEN)
    before = facts(filling.response)
    with pytest.raises(Refused) as caught:
        filling.op("undo", strict=True)
    assert (caught.value.code, facts(filling.response)) == ("moved", before)


def test_an_undo_raced_by_a_write_is_refused_and_changes_nothing() -> None:
    filling = Filling(form(asks("x")))
    filling.say(x=1)
    seen = filling.response.number
    filling.say(x=2, by=BEN)
    before = facts(filling.response)
    with pytest.raises(Refused) as caught:
        filling.op("undo", ANA, field="x", base=seen)
    assert (caught.value.code, facts(filling.response)) == ("moved", before)


def test_undo_gives_back_rows_and_their_answers() -> None:
    filling = Filling(form(rows("r", asks("v"), row_label="v")))
    row = filling.row("r", v=4)
    filling.op("row-remove", row=row)
    filling.op("undo")
    assert filling.value(f"v@{row}") == 4
    filling.op("redo")
    assert filling.rows("r") == ()
    filling.op("undo")
    other = filling.row("r", v=5)
    filling.op("row-move", row=other, to=0)
    assert filling.rows("r") == (other, row)
    filling.op("undo")
    assert filling.rows("r") == (row, other)
    filling.op("undo")
    assert filling.rows("r") == (row,)


def test_going_back_to_a_commit_is_a_new_commit() -> None:
    filling = Filling(form(asks("x"), asks("y"), rows("r", asks("v"))))
    filling.say(x=1)
    filling.say(x=2, y=2)
    row = filling.row("r", v=1)
    with pytest.raises(Refused, match="concerns everybody"):
        filling.op("revert", to=1)
    filling.patch([{"op": "revert", "to": 1}], base=filling.response.number)
    assert (filling.kept("x"), filling.kept("y"), filling.response.number) == (1, None, 4)
    assert filling.response.evaluation.live[("r", "")] == ()
    filling.op("undo")
    assert (filling.kept("x"), filling.value(f"v@{row}")) == (2, 1)


CONCURRENCY: list[tuple[str, Writer, int | None, dict[str, Any], str, Any, str]] = [
    # the case, who, the base seen, what is sent, the verdict, what is in force, the state
    ("another field on a stale base", BEN, 1, {"field": "y", "value": 5}, "in-force", 5, "filled"),
    ("the same value", BEN, 1, {"field": "x", "value": "2"}, "corroborated", 2, "filled"),
    ("the same field, having seen it", BEN, 2, {"field": "x", "value": 3}, "in-force", 3, "filled"),
    ("the same field on a stale base", BEN, 1, {"field": "x", "value": 3}, "candidate", 2, "conflict"),
    ("an agent without a base, empty field", BOT, None, {"field": "y", "value": 3}, "in-force", 3, "filled"),
    ("an agent without a base, answered by another", BOT, None, {"field": "x", "value": 3}, "candidate", 2, "conflict"),
    ("a field for staff, answered by an agent", BOT, 2, {"field": "s", "value": 3}, "candidate", None, "conflict"),
    ("a field for staff, answered by staff", ANA, 2, {"field": "s", "value": 3}, "in-force", 3, "filled"),
]


@pytest.mark.parametrize(("case", "by", "base", "sent", "verdict", "in_force", "state"), CONCURRENCY)
def test_fault_21_writers_who_do_not_know_of_each_other(
    case: str, by: Writer, base: int | None, sent: dict[str, Any], verdict: str, in_force: Any, state: str
) -> None:
    """Q4: different fields merge; the same field keeps both, one as candidate, and a person picks."""
    filling = Filling(form(asks("x"), asks("y"), asks("s", write_roles=["staff"])))
    filling.say(x=1)
    filling.say(x=2)
    filling.patch([{"op": "set", **sent}], by, base=base)
    assert filling.verdicts() == [verdict]
    assert (filling.kept(sent["field"]), filling.state(sent["field"])) == (in_force, state)
    assert facts(filling.replayed()) == facts(filling.response)


def test_a_person_picks_between_two_answers_and_an_agent_does_not() -> None:
    """Q4."""
    filling = Filling(form(asks("phone", "text")))
    filling.say(phone="111")
    filling.say(phone="222", by=BEN, base=0)
    assert filling.last is not None
    said = filling.last.verdicts[0]
    assert (said["theirs"], said["mine"], said["by"]) == ("111", "222", "ana")
    filling.op("resolve", BOT, field="phone", pick=said["revision"])
    assert filling.verdicts() == ["rejected"]
    filling.op("resolve", field="phone", pick=said["revision"])
    assert (filling.kept("phone"), filling.state("phone")) == ("222", "filled")
    assert filling.response.revision(("phone", "")).actor == "ben"  # type: ignore[union-attr]
    filling.say(phone="333", by=BEN, base=0)
    filling.op("resolve", field="phone", pick="current")
    assert (filling.kept("phone"), filling.state("phone")) == ("222", "filled")
    filling.say(phone="333", by=BEN, base=0)
    filling.say(phone="444")
    assert (filling.kept("phone"), filling.state("phone")) == ("444", "filled")


def test_an_agent_goes_on_with_what_it_said_in_its_own_session() -> None:
    filling = Filling(form(asks("x")))
    filling.say(x=1, by=BOT, base=None)
    filling.say(x=2, by=BOT, base=None)
    assert filling.kept("x") == 2
    filling.say(x=3, by=Writer("bot", "agent", "another"), base=None)
    assert (filling.kept("x"), filling.verdicts()) == (2, ["candidate"])


def test_rows_of_two_writers_are_both_kept_and_a_removed_row_keeps_what_arrives() -> None:
    filling = Filling(form(rows("r", asks("v"))))
    first = filling.row("r", ANA, v=1)
    second = filling.row("r", BEN, v=2)
    assert filling.response.evaluation.live[("r", "")] == (first, second)
    filling.op("row-remove", row=first)
    filling.say({f"r/{first}/v": 9}, by=BEN)
    assert filling.verdicts() == ["candidate"]
    filling.op("row-restore", row=first)
    assert filling.state(f"v@{first}") == "conflict"


def test_fault_22_the_same_key_is_the_same_write_and_not_another() -> None:
    filling = Filling(form(asks("x")))
    first = filling.say(x=1)
    again = filling.patch([{"op": "set", "field": "x", "value": 5}], key="k", base=1)
    same = Patch([{"op": "set", "field": "x", "value": 5}], base=1, key="k")
    repeated = write(filling.response, ANA, same, filling.clock)
    assert (repeated.repeated, repeated.commit.number, repeated.verdicts) == (True, again.commit.number, again.verdicts)
    assert first.commit.number == 1
    with pytest.raises(Refused) as caught:
        write(filling.response, ANA, Patch([{"op": "set", "field": "x", "value": 6}], base=1, key="k"), filling.clock)
    assert caught.value.code == "key-reused"


def test_a_batch_waits_for_the_one_before_it_and_is_released_with_a_warning() -> None:
    filling = Filling(form(asks("x")))
    ops = [{"op": "set", "field": "x", "value": 1}]
    with pytest.raises(Refused) as caught:
        filling.patch(ops, key="two", after="one")
    assert caught.value.code == "waits"
    filling.patch(ops, key="two", after="one", late=True)
    assert filling.verdicts() == ["in-force", "late"]


def test_fault_36_labels_find_their_field_in_any_script_or_name_the_candidates() -> None:
    named = {"label": {"en": "Name", "ru": "Имя"}}
    filling = Filling(form(
        section("mother", asks("mother_name", "text") | named), section("father", asks("father_name", "text") | named),
        {**asks("age"), "label": {"en": "Age", "ru": "Возраст"}}, languages=["en", "ru"],
    ))  # fmt: skip
    filling.say({"возраст": 41, "Имя": "Ana", "mother name": "Rita", "aeg": 3, "nothing": 1})
    assert filling.verdicts() == ["in-force", "rejected", "in-force", "rejected", "rejected"]
    assert filling.last is not None
    several, slip = filling.last.verdicts[1], filling.last.verdicts[3]
    assert several["accepted"] == ["mother_name: Name in mother", "father_name: Name in father"]
    assert slip["accepted"] == ["age: Age"]
    assert (filling.kept("age"), filling.kept("mother_name")) == (41, "Rita")


def test_what_cannot_be_read_is_logged_and_the_earlier_answer_stays() -> None:
    filling = Filling(form(asks("x")))
    filling.say(x=5)
    filling.say(x="many")
    assert (filling.kept("x"), filling.verdicts()) == (5, ["rejected"])
    event = filling.response.commits[-1].events[-1]
    assert (event["event"], event["raw"]) == ("rejected", "many")


def test_a_list_takes_more_without_losing_what_it_has() -> None:
    filling = Filling(form(
        asks("eaten", "choices", choices="foods"), rows("guests", asks("guest", "text"), row_label="guest"),
        lists=[choices("foods", "eggs", "bacon", "tea")],
    ))  # fmt: skip
    filling.say(eaten=["eggs"])
    filling.op("set", field="eaten", add=["bacon"])
    assert filling.kept("eaten") == ["eggs", "bacon"]
    filling.op("set", field="eaten", remove=["eggs"], add=["tea"])
    assert filling.kept("eaten") == ["bacon", "tea"]
    filling.op("rows", repeat="guests", add=["Ana", "Rui"])
    filling.op("rows", repeat="guests", add=[{"guest": "Bea"}])
    live = filling.response.evaluation.live[("guests", "")]
    assert [filling.value(f"guest@{row}") for row in live] == ["Ana", "Rui", "Bea"]
    filling.op("rows", repeat="guests", replace=["Eva"])
    live = filling.response.evaluation.live[("guests", "")]
    assert [filling.value(f"guest@{row}") for row in live] == ["Eva"]


def test_a_new_row_is_named_within_its_patch() -> None:
    filling = Filling(household())
    filling.say(kids=None)
    ops: list[dict[str, Any]] = [
        {"op": "row-add", "repeat": "Дети", "as": "new"},
        {"op": "set", "field": "new/child_name", "value": "Eva"},
        {"op": "st", "field": "age", "value": 4},
        {"op": "set", "field": "children/2/child_age", "value": 4},
    ]
    filling.patch(ops)
    assert filling.verdicts() == ["added", "in-force", "rejected", "rejected"]


def test_what_was_said_by_whom_about_what_and_when_stays_with_the_answer() -> None:
    filling = Filling(form(asks("x")))
    quote = {"turn": "t1", "quote": "about forty I think"}
    said = {"speaker": "Ana Sousa", "said_at": "2026-05-14", "evidence": [quote], "confidence": 80}
    filling.patch([{"op": "set", "field": "x", "value": "about 40", **said}], BOT)
    revision = filling.response.revision(("x", ""))
    assert revision is not None
    assert (revision.raw, revision.kept, revision.approximate, revision.actor) == ("about 40", 40, True, "bot")
    assert (revision.speaker, revision.said_at, revision.evidence) == ("Ana Sousa", "2026-05-14", (quote,))


def test_redaction_leaves_a_marked_hole_and_the_same_order() -> None:
    filling = Filling(form(asks("x", "text"), asks("y")))
    filling.say(x="A secret name")
    revision = str(filling.response.heads[("x", "")])
    filling.say(y=2)
    redacted = lifecycle.redact(filling.response, ANA, filling.clock, revision=revision, reason="Asked for")
    filling.response = redacted.response
    stored = [lifecycle.scrubbed(commit.as_data(), revision) for commit in filling.response.commits]
    assert "secret" not in str(stored)
    again = Filling(form(asks("x", "text"), asks("y")))
    again.response = replay("response-1", again.ready, stored)
    assert (again.response.revisions[revision].redacted, again.kept("y"), again.response.number) == (True, 2, 3)


def test_stamps_are_written_once_at_their_event() -> None:
    filling = Filling(form(asks("x"), asks("began", "meta", meta="started"), asks("sent", "meta", meta="submitted")))
    filling.say(x=1)
    assert str(filling.kept("began")).startswith("2026-05-15T09:01")
    filling.submit()
    assert set(filling.response.snapshots[1]["values"]) == {"x", "began", "sent"}


def test_writes_that_concern_nobody_are_refused_whole() -> None:
    filling = Filling(form(asks("x")))
    response: Response = filling.response
    for patch in (Patch([]), Patch([{"op": "set"}] * 1001), Patch([{"op": "set", "field": "x", "value": 1}], base=7)):
        with pytest.raises(Refused):
            write(response, ANA, patch, filling.clock)
    assert response.number == 0


def test_undo_withdraws_an_answer_that_still_waits_beside_anothers() -> None:
    filling = Filling(form(asks("x"), asks("y")))
    filling.say(y=3, by=BEN)
    filling.say(x=1)
    filling.say(x=2, by=BEN, base=1)
    assert filling.state("x") == "conflict"
    filling.op("undo", BEN)
    assert (filling.state("x"), filling.kept("x"), filling.kept("y")) == ("filled", 1, 3)
    assert filling.verdicts() == ["withdrawn"]
    filling.op("undo", BEN)
    assert filling.kept("y") is None
    assert facts(filling.replayed()) == facts(filling.response)


def test_undo_of_a_commit_stands_alone_in_its_patch() -> None:
    filling = Filling(form(asks("x"), asks("y")))
    filling.say(x=1)
    filling.say(x=2, y=2)
    for alone in ("undo", "redo"):
        with pytest.raises(Refused, match="stand alone"):
            filling.patch([{"op": alone}, {"op": "set", "field": "y", "value": 5}])
    filling.patch([{"op": "undo", "field": "x"}, {"op": "undo", "field": "y"}])
    assert (filling.kept("x"), filling.kept("y")) == (1, None)
