"""When two values are the same: exactly, after normalisation."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryapp.ontology.normalise import bare_text, key_text, normal_text, normal_value


@pytest.mark.parametrize(
    ("normaliser", "one", "other"),
    [
        ("text", "Ana  Petrov", "ana petrov"),
        ("text", "CAFÉ", "cafe\u0301"),
        ("text", "Straße", "STRASSE"),
        ("email", " Ines@Ferro.Example", "mailto:ines@ferro.example"),
        ("domain", "https://www.Ferro.example/about", "ferro.example."),
        ("phone", "+351 910-000-111", "00351910000111"),
        ("phone", "٠٢٠ ٧٠٠٠", "0207000"),
        ("iri", " urn:x:A ", "urn:x:A"),
    ],
)
def test_the_same(normaliser: str, one: str, other: str) -> None:
    assert key_text(one, normaliser) == key_text(other, normaliser)


@pytest.mark.parametrize(
    ("normaliser", "one", "other"),
    [
        ("text", "C", "C++"),
        ("text", "O'Neil", "ONeil"),
        ("text", "Bay 14", "Bay 15"),
        ("iri", "urn:x:A", "urn:x:a"),
        ("phone", "+351 910", "351 910"),
        ("text", "Мария", "Марина"),
    ],
)
def test_not_the_same(normaliser: str, one: str, other: str) -> None:
    assert key_text(one, normaliser) != key_text(other, normaliser)


def test_numbers_texts_and_truth_are_apart() -> None:
    """T37."""
    assert key_text(2) == key_text(2.0)
    assert len({key_text(2), key_text("2"), key_text(True), key_text(2.5)}) == 4
    assert normal_value({"a": [1.0, " B "]}) == {"a": [1, "b"]}


def test_what_look_alikes_share() -> None:
    assert bare_text("O'Neil") == bare_text("O’Neil") == bare_text("ONeil")
    assert bare_text("acme-north") == bare_text("Acme North")
    assert len({bare_text(name) for name in ("C", "C++", "C#", "v1.5", "v15")}) == 5


@given(st.text())
def test_normalising_twice_changes_nothing(text: str) -> None:
    assert normal_text(normal_text(text)) == normal_text(text)
