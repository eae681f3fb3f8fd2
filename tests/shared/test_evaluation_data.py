"""The long conversations that recall is measured on are read whole."""

from __future__ import annotations

import pytest

from bench.conversations import conversations, recall
from tests.shared.places import shared

pytestmark = pytest.mark.shared


def test_the_conversations_are_read_with_their_turns_and_questions() -> None:
    read = list(conversations(shared("data", "locomo6.zip")))
    assert len(read) == 6
    assert sum(len(one.turns) for one in read) == 3435
    assert sum(len(one.questions) for one in read) == 885


def test_every_turn_has_words_a_speaker_and_a_later_time_than_the_one_before() -> None:
    for conversation in conversations(shared("data", "locomo6.zip")):
        assert len({turn.key for turn in conversation.turns}) == len(conversation.turns)
        assert len({turn.speaker for turn in conversation.turns}) == 2
        assert all(turn.text.strip() for turn in conversation.turns)
        times = [turn.said_at for turn in conversation.turns]
        assert times == sorted(times)


def test_a_question_is_answered_by_turns_that_are_there() -> None:
    for conversation in conversations(shared("data", "locomo6.zip")):
        there = {turn.key for turn in conversation.turns}
        answerable = [one for one in conversation.questions if one.evidence & there]
        assert len(answerable) >= 0.98 * len(conversation.questions)
        first = answerable[0]
        assert recall(sorted(first.evidence), first.evidence, 100) == 1
