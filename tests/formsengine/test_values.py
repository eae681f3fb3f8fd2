"""What people say and type, read exactly or refused with what would do; never guessed and never emptied."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from formsengine.definition.answers import answer_schema
from formsengine.definition.model import ChoiceList, Question
from formsengine.definition.plan import PlannedList, plan, planned_list
from formsengine.values.read import READERS, Setting, read_answer
from formsengine.values.refusing import Unreadable
from formsengine.values.runtime import of_answer
from tests.formsengine.filling import form

CITIES = planned_list(
    ChoiceList.model_validate(
        {
            "name": "cities",
            "choices": [
                {"code": "Los Angeles", "label": {"en": "Los Angeles", "ru": "Лос-Анджелес"}},
                {"code": "ny", "label": {"en": "New York", "ru": "Нью-Йорк"}},
                {"code": "s1", "label": {"en": "Springfield"}},
                {"code": "s2", "label": {"en": "Springfield"}},
            ],
        }
    )
)


NO_LISTS = plan(form())


def asked(type: str, **more: Any) -> Question:
    return Question.model_validate({"kind": "field", "name": "x", "type": type, **more})


def read(type: str, raw: Any, locale: str | None = None, choices: PlannedList | None = None, **more: Any) -> Any:
    return read_answer(asked(type, **more), raw, Setting(locale, choices=choices, language="en")).value


@pytest.mark.parametrize(
    ("type", "raw", "locale", "kept"),
    [
        ("text", " 410 ", None, " 410 "),
        ("text", 410, None, "410"),
        ("integer", "410", None, 410),
        ("integer", "1 200", None, 1200),
        ("integer", "about 40", None, 40),
        ("integer", "~ 40", None, 40),
        ("decimal", "1.23", None, "1.23"),
        ("decimal", "1,23", "de", "1.23"),
        ("decimal", "1.234,5", "de", "1234.5"),
        ("decimal", "1,234.5", "en", "1234.5"),
        ("decimal", "1 234,5", "fr", "1234.5"),
        ("decimal", 0.1, None, "0.1"),
        ("decimal", "12345678901234567890.123", None, "12345678901234567890.123"),
        ("boolean", "Yes", None, True),
        ("boolean", 0, None, False),
        ("date", "2026-05", None, "2026-05"),
        ("date", "2026", None, "2026"),
        ("date", "12/05/2026", "en-GB", "2026-05-12"),
        ("date", "12/05/2026", "en-US", "2026-12-05"),
        ("date", "12.05.2026", "de", "2026-05-12"),
        ("time", "09:30", None, "09:30:00"),
        ("datetime", "2026-05-12T09:30+02:00", None, "2026-05-12T09:30:00+02:00"),
        ("datetime", "2026-05-12T09:30", None, "2026-05-12T09:30:00+00:00"),
        ("range", "2026-01/2026-03", None, {"start": "2026-01", "end": "2026-03"}),
        ("range", {"start": "2026-01"}, None, {"start": "2026-01"}),
        ("quantity", "12.5 kg", None, {"amount": "12.5", "unit": "kg"}),
        ("money", {"amount": "3", "currency": "EUR"}, None, {"amount": "3", "currency": "EUR"}),
        ("email", "Ana@Example.ORG", None, "Ana@example.org"),
        ("phone", "+351 912 345 678", None, "+351912345678"),
        ("phone", "912 345 678", "pt-PT", "+351912345678"),
        ("url", "example.org/a", None, "https://example.org/a"),
        ("point", "41.15 -8.61", None, {"lat": "41.15", "lon": "-8.61"}),
        ("line", "1 1; 2 2", None, [{"lat": "1", "lon": "1"}, {"lat": "2", "lon": "2"}]),
        ("entity", {"id": "p1", "label": "Ana"}, None, {"id": "p1", "label": "Ana"}),
        ("photo", {"id": "a1", "digest": "d", "name": "x.jpg"}, None, {"id": "a1", "digest": "d", "name": "x.jpg"}),
    ],
)
def test_what_is_said_is_read(type: str, raw: Any, locale: str | None, kept: Any) -> None:
    """And what is kept is as the schema of the answers says."""
    assert read(type, raw, locale) == kept
    Draft202012Validator(answer_schema(NO_LISTS, asked(type))).validate(kept)


@pytest.mark.parametrize(
    ("type", "raw", "locale", "code"),
    [
        ("integer", "many", None, "number"),
        ("integer", "4.5", None, "number"),
        ("integer", True, None, "number"),
        ("integer", "1,200", None, "number"),
        ("decimal", "1,23", None, "number"),
        ("decimal", "NaN", None, "number"),
        ("decimal", "1e99999999", None, "number"),
        ("boolean", "perhaps", None, "type"),
        ("date", "12/05/2026", None, "date"),
        ("date", "2026-02-30", None, "date"),
        ("date", 20260512, None, "date"),
        ("time", "25:00", None, "time"),
        ("range", "2026-03/2026-01", None, "range"),
        ("quantity", "12", None, "number"),
        ("email", "ana@", None, "email"),
        ("phone", "912 345 678", None, "phone"),
        ("url", "javascript:alert(1)", None, "url"),
        ("url", "http://[", None, "url"),
        ("point", "95 200", None, "place"),
        ("area", "1 1; 2 2", None, "place"),
        ("entity", "Ana", None, "entity"),
        ("file", "/etc/passwd", None, "attachment"),
        ("note", "x", None, "not-writable"),
        ("text", {"a": 1}, None, "type"),
    ],
)
def test_fault_15_what_is_not_clear_is_refused_and_never_emptied(
    type: str, raw: Any, locale: str | None, code: str
) -> None:
    with pytest.raises(Unreadable) as caught:
        read(type, raw, locale)
    assert caught.value.code == code


def test_blank_is_no_answer_and_zero_and_no_are() -> None:
    assert [read("text", raw) for raw in ("", "  ", None)] == [None, None, None]
    assert (read("integer", 0), read("boolean", False)) == (0, False)


def test_fault_13_a_choice_is_found_by_code_or_by_one_label_in_any_language() -> None:
    assert read("choices", "Los Angeles", choices=CITIES) == ["Los Angeles"]
    assert read("choices", ["new york", "Los Angeles", "ny"], choices=CITIES) == ["ny", "Los Angeles"]
    assert read("choices", "ny, Лос-Анджелес", choices=CITIES) == ["ny", "Los Angeles"]
    assert read("choice", "нью-йорк", choices=CITIES) == "ny"
    for raw, code in (("springfield", "several"), ("New Yrok", "unknown-choice"), ({"other": "Rome"}, "other")):
        with pytest.raises(Unreadable) as caught:
            read("choice", raw, choices=CITIES)
        assert caught.value.code == code
    assert read("choice", {"other": "Rome"}, choices=CITIES, other=True) == {"code": "other", "text": "Rome"}


def test_yes_and_no_are_read_in_the_words_of_the_form_and_an_order_from_a_list_or_a_line() -> None:
    words = [{"code": "yes", "label": {"en": "Of course"}}, {"code": "no", "label": {"pt": "Nem pensar"}}]
    said = planned_list(ChoiceList.model_validate({"name": "said", "choices": words}))
    assert [read("boolean", raw, choices=said) for raw in ("of course", "NEM PENSAR")] == [True, False]
    assert read("rank", "ny, Los Angeles", choices=CITIES) == ["ny", "Los Angeles"]
    assert read("rank", ["s2", "New York"], choices=CITIES) == ["s2", "ny"]
    with pytest.raises(Unreadable):
        read("rank", ["nowhere"], choices=CITIES)


def test_consent_is_to_the_text_that_was_shown() -> None:
    statement: dict[str, Any] = {"statement": {"en": "I agree.", "pt": "Concordo."}}
    assert read("consent", True, **statement) == {"given": True, "text": "I agree."}
    assert read("consent", {"given": "yes", "text": "Concordo."}, **statement)["text"] == "Concordo."
    with pytest.raises(Unreadable):
        read("consent", {"given": True, "text": "I agree to everything."}, **statement)


PLAIN = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)
KEYS = st.sampled_from(["id", "lat", "lon", "amount", "given", "start"])
ANYTHING = st.recursive(
    PLAIN | st.sampled_from(["2026-05", "1 2"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner),
    max_leaves=5,
)


@example("consent", True, None)
@given(st.sampled_from(sorted(READERS)), ANYTHING, st.sampled_from([None, "de", "en-US", "xx", "../etc"]))
def test_anything_at_all_is_read_or_refused_with_words(type: str, raw: Any, locale: str | None) -> None:
    words, kept = "", None
    try:
        kept = read(type, raw, locale, CITIES)
    except Unreadable as wrong:
        words = wrong.message
    if kept is None:
        assert words or read(type, raw, locale, CITIES) is None
    else:
        of_answer(type, kept)
        assert read(type, kept, locale, CITIES) == kept or type in ("text", "computed")
