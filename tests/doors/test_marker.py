"""Our own rendered text is known again, however it comes back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryapp.doors import marker

BLOCK = marker.wrap("brief", "Ines prefers window seats")


def _left(text: str) -> str:
    for start, end in reversed(marker.strip(text)):
        text = text[:start] + text[end:]
    return text


@pytest.mark.parametrize(
    "text",
    [
        BLOCK,
        BLOCK.upper(),
        BLOCK.replace("\n", " "),
        BLOCK.replace("\n", "\r\n\t"),
        "> " + BLOCK.replace("\n", "\n> "),
        BLOCK.replace("⟦", "⟦ ").replace("⟧", " ⟧"),
        BLOCK.replace("⟦", "[[").replace("⟧", "]]"),
        BLOCK.rsplit("\n", 1)[0],
        BLOCK.split("\n", 1)[1],
        "<!-- commonplace: Ines prefers window seats -->",
        "<!--commonplace:Ines prefers window seats",
        "&lt;!-- commonplace: Ines prefers window seats --&gt;",
    ],
)
def test_a_block_is_found_whatever_was_done_to_its_spaces_and_quotes(text: str) -> None:
    assert "window" not in _left(text).casefold()


def test_what_stands_around_a_block_is_left() -> None:
    assert _left(f"before\n{BLOCK}\nafter").split() == ["before", "after"]


def test_text_that_only_speaks_of_us_is_no_block() -> None:
    text = "A commonplace book [like this] <!-- note --> ⟦other⟧"
    assert _left(text) == text


@given(st.text())
def test_a_text_cannot_break_out_of_its_block(text: str) -> None:
    wrapped = marker.wrap("brief", text)
    assert marker.strip(wrapped) == [(0, len(wrapped))]


@given(st.text())
def test_the_stretches_are_in_order_and_apart(text: str) -> None:
    ends = [edge for span in marker.strip(text + marker.MARKER_OPEN + text) for edge in span]
    assert ends == sorted(ends)
