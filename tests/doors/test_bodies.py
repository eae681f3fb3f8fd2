"""A body is taken as it is, or refused with the place that is wrong and what would be accepted there."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryapp.doors import strict
from memoryapp.doors.errors import Invalid, Malformed
from memoryapp.ledger.models import Actor, Write
from tests.api.calling import Caller
from tests.doors.practice import Note

pytestmark = pytest.mark.django_db


def stored() -> int:
    return Actor.objects.filter(kind=Actor.Kind.JOB).count()


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"", 400, "missing"),
        (b"{", 400, "not_json"),
        (b"remember that I like tea", 400, "not_json"),
        (b'"remember that I like tea"', 400, "wrong_type"),
        (b"[]", 400, "wrong_type"),
        (b"null", 400, "wrong_type"),
        (b'{"name": "a"} {"name": "b"}', 400, "not_json"),
        (b'{"name": "\xff\xfe"}', 400, "not_utf8"),
        (b'{"name": "a\\u0000b"}', 400, "unreadable_text"),
        (b'{"name": "\\ud800"}', 400, "unreadable_text"),
        (b'{"\\udfff": "a"}', 400, "unreadable_text"),
        (b'{"name": "a", "name": "b"}', 400, "repeated_key"),
        (b'{"name": "a", "count": NaN}', 400, "not_finite"),
        (b'{"name": "a", "free": {"x": [Infinity]}}', 400, "not_finite"),
        (b'{"name": "a", "free": {"x": 1e999}}', 400, "not_finite"),
        (b'{"name": "a", "free": {"x": 9007199254740993}}', 400, "integer_too_large"),
        (b'{"name": "a", "free": ' + b"9" * 6000 + b"}", 400, "number_too_long"),
        (b'{"name": "a", "free": ' + b"[" * 100_000, 400, "too_deep"),
        (b'{"name": ' + b'"[[[["' + b"}", 201, ""),
        (b"\xef\xbb\xbf" + b'{"name": "a"}', 201, ""),
    ],
)
def test_a_body_that_is_no_plain_json_is_refused(notes: Caller, body: bytes, status: int, code: str) -> None:
    """Case 65 among them: a bare string where an object is expected."""
    answer = notes.send("POST", "notes", body)
    assert answer.status_code == status, answer.content
    if code:
        assert answer.json()["code"] == code
        assert stored() == 0


def test_ten_megabytes_are_refused_before_they_are_read(notes: Caller) -> None:
    body = b'{"name": "' + b"a" * (10 * 1024 * 1024) + b'"}'
    answer = notes.send("POST", "notes", body)
    assert (answer.status_code, answer.json()["code"]) == (413, "body_too_large")


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
def test_a_body_of_another_kind_is_refused(notes: Caller, kind: str) -> None:
    assert notes.send("POST", "notes", b'{"name": "a"}', content_type=kind).status_code == 415


@pytest.mark.parametrize(
    ("more", "path", "code"),
    [
        ({"nmae": "b"}, "/nmae", "unknown_field"),
        ({"count": "2"}, "/count", "wrong_type"),
        ({"count": 2.0}, "/count", "wrong_type"),
        ({"count": True}, "/count", "wrong_type"),
        ({"count": 11}, "/count", "max_value"),
        ({"shown": "true"}, "/shown", "wrong_type"),
        ({"shown": 1}, "/shown", "wrong_type"),
        ({"shown": None}, "/shown", "wrong_type"),
        ({"colour": "grene"}, "/colour", "not_a_choice"),
        ({"about": "not-an-id"}, "/about", "not_an_id"),
        ({"about": 7}, "/about", "not_an_id"),
        ({"at": "2024-05-03T10:00:00"}, "/at", "naive_time"),
        ({"at": "yesterday"}, "/at", "not_a_time"),
        ({"at": 1714730400}, "/at", "wrong_type"),
        ({"exactly": "2024-05"}, "/exactly", "not_exact"),
        ({"time_zone": "Mars/Olympus"}, "/time_zone", "unknown_time_zone"),
        ({"words": "abc"}, "/words", "wrong_type"),
        ({"words": ["ok", 3]}, "/words/1", "wrong_type"),
        ({"words": ["ok", "too long"]}, "/words/1", "max_length"),
        ({"leaves": [{"word": "a"}, {"wrod": "b"}]}, "/leaves/1/wrod", "unknown_field"),
        ({"leaves": [{"word": "a", "weight": 101}]}, "/leaves/0/weight", "max_value"),
        ({"leaves": {"word": "a"}}, "/leaves", "wrong_type"),
        ({"leaves": ["a"]}, "/leaves/0", "wrong_type"),
        ({"leaf": []}, "/leaf", "wrong_type"),
        ({"free": []}, "/free", "wrong_type"),
        ({"name": "   "}, "/name", "blank"),
        ({"name": 5}, "/name", "wrong_type"),
        ({"name": None}, "/name", "wrong_type"),
    ],
)
def test_each_wrong_value_is_named_with_what_would_be_accepted(
    notes: Caller, more: dict[str, Any], path: str, code: str
) -> None:
    """Case 112: a field that is not taken is an error, never dropped in silence."""
    answer = notes.post("notes", {"name": "a"} | more)
    assert answer.status_code == 400
    errors = {error["path"]: error for error in answer.json()["errors"]}
    assert errors[path]["code"] == code, errors
    assert errors[path]["accepted"]
    assert stored() == 0


def test_everything_wrong_is_told_at_once(notes: Caller) -> None:
    answer = notes.post("notes", {"nmae": "b", "count": "2"})
    assert {error["path"] for error in answer.json()["errors"]} == {"/name", "/nmae", "/count"}
    assert "Did you mean “name”?" in str(answer.json()["errors"])


@pytest.mark.parametrize("name", ["actor", "agent", "user", "user_id", "workspace", "workspace_id"])
def test_nobody_says_in_a_body_who_they_are_or_where(notes: Caller, name: str) -> None:
    """Case 68: with one agent's key, another's name in the body is 403 and nothing is written."""
    answer = notes.post("notes", {"name": "a", name: "cleo"})
    assert (answer.status_code, answer.json()["code"]) == (403, "not_yours_to_say")
    assert stored() == 0


def test_a_naive_time_means_what_the_named_zone_says(notes: Caller) -> None:
    """T36: 23:30 at UTC-5 is that day there and the next day in UTC."""
    answer = notes.post("notes", {"name": "a", "at": "2024-05-03T23:30", "time_zone": "America/Lima"})
    assert answer.json()["at"] == "2024-05-03T23:30:00-05:00"
    assert answer.json()["instant"] == "2024-05-04T04:30:00Z"


def test_run_and_model_travel_with_the_write_from_header_or_body(notes: Caller) -> None:
    by_header = notes.post("notes", {"name": "a"}, Commonplace_Run="run-1", Commonplace_Model="small")
    assert (by_header.json()["run"], by_header.json()["model"]) == ("run-1", "small")
    by_body = notes.post("notes", {"name": "a", "run": "run-2", "rationale": "Heard twice."})
    assert by_body.json()["run"] == "run-2"
    assert Write.objects.get(pk=by_body.json()["write"]).rationale == "Heard twice."
    both = notes.post("notes", {"name": "a", "run": "run-2"}, Commonplace_Run="run-1")
    assert both.json()["code"] == "said_twice"


def test_a_change_names_the_state_it_was_drawn_from(notes: Caller) -> None:
    body = json.dumps({"name": "a"}).encode()
    assert notes.send("PATCH", "notes", body).status_code == 428
    stale = notes.send("PATCH", "notes", body, If_Match='"2"')
    assert stale.status_code == 412
    assert stale.json()["current"] == {"name": "as it is now"}
    assert notes.send("PATCH", "notes", body, If_Match='"3"').status_code == 200
    for wrong in ("3", "*", 'W/"3"', '"3", "4"', '"x"'):
        assert notes.send("PATCH", "notes", body, If_Match=wrong).status_code == 400


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
names = st.sampled_from(sorted(Note().fields))
FUZZ = settings(max_examples=80)


@FUZZ
@given(body=st.dictionaries(names | st.text(max_size=6), json_values, max_size=5))
def test_any_json_object_is_taken_or_refused_and_never_breaks(notes: Caller, body: dict[str, Any]) -> None:
    before = stored()
    answer = notes.send("POST", "notes", json.dumps(body).encode())
    assert answer.status_code in (201, 400, 403, 422), answer.content
    assert stored() - before == (1 if answer.status_code == 201 else 0)


@FUZZ
@given(body=st.binary(max_size=200))
def test_any_bytes_are_refused_and_never_break(notes: Caller, body: bytes) -> None:
    assert notes.send("POST", "notes", body).status_code in (400, 403)


@FUZZ
@given(text=st.text(alphabet='[]{}",:\\u0d8 1eN-', max_size=60))
def test_what_the_strict_reader_takes_is_what_json_says(text: str) -> None:
    try:
        value = strict.read(text.encode())
    except Malformed:
        return
    assert json.loads(text) == value


@FUZZ
@given(query=st.text(max_size=60))
def test_any_query_string_is_answered_or_refused(notes: Caller, query: str) -> None:
    answer = notes.client.get("/api/v1/jobs", QUERY_STRING=query.encode().decode("latin-1"))
    assert answer.status_code == 401
    answer = notes.client.generic(
        "GET",
        "/api/v1/jobs",
        QUERY_STRING=query.encode().decode("latin-1"),
        headers={"Authorization": f"Bearer {notes.key}"},
    )
    assert answer.status_code in (200, 400)


@pytest.mark.parametrize(
    ("text", "place", "code"),
    [
        ('- {title: "\\uD800"}', "/changes/0/title", "unreadable_text"),
        ('- {title: "a\\0b"}', "/changes/0/title", "unreadable_text"),
        ("- [.nan]", "/changes/0/0", "not_finite"),
        ("- [.inf]", "/changes/0/0", "not_finite"),
        ("- {1: a}", "/changes/0", "not_a_text"),
        ("- {a: 1, a: 2}", "/changes", "repeated_key"),
        ("- !!binary aGk=", "/changes/0", "not_plain"),
        ("- !!set {a}", "/changes/0", "not_plain"),
        ("- 99999999999999999999", "/changes/0", "integer_too_large"),
        ("&a [*a]", "/changes", "aliases"),
        ("[" * 40 + "]" * 40, "/changes" + "/0" * 33, "too_deep"),
        ("[" * 100_000, "/changes", "not_yaml"),
        ("- !!python/object:os.system {}", "/changes", "not_yaml"),
        ("a: b: c", "/changes", "not_yaml"),
        ("9" * 5000, "/changes", "not_yaml"),
    ],
)
def test_yaml_says_nothing_that_json_could_not(text: str, place: str, code: str) -> None:
    """A12: whatever is typed is plain values, or refused with its place."""
    with pytest.raises(Invalid) as caught:
        strict.read_yaml(text, "/changes")
    assert (caught.value.violations[0].path, caught.value.violations[0].code) == (place, code)


def test_a_date_of_yaml_is_the_text_that_was_written() -> None:
    assert strict.read_yaml("- {when: 2026-01-01, at: 2026-01-01 10:00:00}") == [
        {"when": "2026-01-01", "at": "2026-01-01 10:00:00"}
    ]
