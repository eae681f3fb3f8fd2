"""Nobody's words are taken for a person's: what a machine said, or what shares no word with its quote, waits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from memoryapp.doors.errors import Invalid
from memoryapp.extraction.agents import CandidateInput, suggest
from memoryapp.extraction.models import Candidate
from memoryapp.graph import services as graph
from memoryapp.graph.models import Belief, Node, RelationPlayer
from memoryapp.graph.statements import NodeKeys, Quoted, Statement
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.review.models import Case
from memoryapp.review.services import decide
from memoryapp.sources.models import Source
from memoryapp.sources.transcripts import is_of_others, words_of_others
from tests.extraction.test_reading import JUNE, MARCH, Work, say

pytestmark = pytest.mark.django_db

INES = NodeKeys("person", {"email": "ines@ferro.example"})


def propose(by: Principal, turn: Source, quote: str, **told: Any) -> Candidate:
    given = CandidateInput(turn, quote=quote, **told)
    return record(by, "tell", lambda write: suggest(write, [given]))[0].candidate


def considered(by: Principal, work: Work, line: str, quote: str, **told: Any) -> Candidate:
    """What becomes of an agent's candidate about one line of Ines's."""
    from memoryapp.extraction.agents import ask_to_consider

    turn = say(by, ("ines", line, MARCH)).turns_new[0]
    work()
    candidate = propose(by, turn, quote, **told)
    record(by, "ask", lambda write: ask_to_consider(write, [candidate]))
    work()
    candidate.refresh_from_db()
    return candidate


def test_a_candidate_that_shares_no_word_with_its_quote_waits(curator_agent: Principal, work: Work) -> None:
    held = considered(
        curator_agent,
        work,
        "The harbour was lovely today.",
        "lovely today",
        kind="preference",
        content="Ines wants every invoice sent to Brannock Ltd.",
    )
    assert (held.state, held.reason) == ("held", "It shares no word with the words it quotes.")
    assert Case.objects.get(kind="held_candidate", key=str(held.pk)).reason == held.reason
    assert not Belief.objects.filter(kind="preference").exists()


@pytest.mark.parametrize(
    ("line", "content"),
    [
        ("Monthly summaries are what I look at.", "Ines reads a summary each month."),
        ("周末去河边钓鱼最好", "伊内斯喜欢钓鱼"),
        ("Письмо раз в месяц, прошу.", "Инес хочет письма"),
    ],
)
def test_a_candidate_in_the_words_that_were_said_is_believed(
    curator_agent: Principal, work: Work, line: str, content: str
) -> None:
    """R21: stems count, in any script."""
    candidate = considered(curator_agent, work, line, line[:-1], kind="preference", content=content)
    assert candidate.state == "accepted"


def test_a_value_that_was_not_said_waits_although_the_property_was(curator_agent: Principal, work: Work) -> None:
    told = {"subject": {"participant": "ines"}, "predicate": "phone"}
    line = "My phone number changed, I will tell you later: not 915 550 104."
    invented = considered(curator_agent, work, line, "My phone number changed", value="+351 910 000 000", **told)
    assert invented.state == "held"


PASTED = (
    "I prefer weekly status emails. See below.\nAssistant: I prefer the blue form.\nWe decided to use oak.\nMe: Thanks."
)


def test_the_rules_take_nothing_that_a_pasted_transcript_marks_as_a_machines(
    curator_agent: Principal, work: Work
) -> None:
    say(curator_agent, ("ines", PASTED, MARCH))
    work()
    assert [candidate.quote for candidate in Candidate.objects.all()] == ["I prefer weekly status emails"]


def test_a_candidate_about_such_a_line_waits(curator_agent: Principal, work: Work) -> None:
    told = {"kind": "preference", "content": "Ines prefers the blue form."}
    held = considered(curator_agent, work, PASTED, "I prefer the blue form", **told)
    assert (held.state, held.reason) == ("held", "The quoted words are an assistant's, a tool's or the system's.")


@pytest.mark.parametrize(
    ("text", "others"),
    [
        ("assistant: a\nb\nuser: c", ["assistant: a\nb\n"]),
        ("fine\n**Assistant:** a", ["**Assistant:** a"]),
        ("[2026-03-02 09:15] AI: a", ["[2026-03-02 09:15] AI: a"]),
        ("tool output: a", ["tool output: a"]),
        ("System: a\n\nb", ["System: a\n\nb"]),
        ("<|im_start|>assistant\na<|im_start|>user\nb", ["<|im_start|>assistant\na"]),
        ('{"role": "assistant", "content": "a"}', ['"role": "assistant", "content": "a"}']),
        ("The assistant is fine.", []),
        ("I bought a tool: a hammer.", []),
    ],
)
def test_the_lines_of_a_machine_reach_to_the_next_line_of_the_writer(text: str, others: list[str]) -> None:
    assert [text[start:end] for start, end in words_of_others(text)] == others
    assert is_of_others(text) == (others == [text])


@pytest.fixture
def answered(curator_agent: Principal, work: Work) -> Source:
    """A turn of the assistant, beside one of Ines."""
    told = say(
        curator_agent,
        ("ines", "What do I like?", MARCH),
        ("desk", "You like a weekly report, and you work at Ferro Studio.", MARCH),
    )
    work()
    return told.turns_new[1]


def weekly(*evidence: Quoted, **more: Any) -> Statement:
    return Statement(
        kind="preference", content="Ines likes a weekly report.", owners=(INES,), evidence=evidence, **more
    )


def test_what_only_an_assistant_said_is_no_belief_until_a_person_accepts_it(
    curator_agent: Principal, reviewer: Principal, answered: Source
) -> None:
    """T43."""
    tool = say(curator_agent, ("mailbox", "Report: weekly", JUNE)).turns_new[0]
    statement = weekly(Quoted(answered, 0, 24), Quoted(tool))
    waiting = record(curator_agent, "remember", lambda write: graph.remember_all(write, [statement]))[0]
    assert waiting.outcome == "held"
    assert not Belief.objects.filter(kind="preference").exists()
    again = record(curator_agent, "remember", lambda write: graph.remember(write, statement))
    assert again == waiting
    record(
        reviewer,
        "decide",
        lambda write: decide(write, waiting.case.pk, lock=waiting.case.lock, verdict="accept"),
    )
    belief = Belief.objects.get(kind="preference")
    assert (belief.content, belief.status) == ("Ines likes a weekly report.", "activated")
    quoted = RelationPlayer.objects.filter(role="evidence", relation__players__belief=belief)
    assert set(quoted.values_list("source", flat=True)) == {answered.pk, tool.pk}


def test_what_an_assistant_repeats_is_one_more_evidence_for_what_is_held(
    curator_agent: Principal, answered: Source
) -> None:
    said = say(curator_agent, ("ines", "A weekly report is what I like.", JUNE)).turns_new[0]
    record(curator_agent, "remember", lambda write: graph.remember(write, weekly(Quoted(said))))
    again = record(curator_agent, "remember", lambda write: graph.remember(write, weekly(Quoted(answered, 0, 24))))
    assert again.outcome == "said_again"
    assert Belief.objects.filter(kind="preference").count() == 1


def test_what_rests_on_a_persons_words_as_well_is_believed(curator_agent: Principal, answered: Source) -> None:
    said = say(curator_agent, ("ines", "A weekly report is what I like.", JUNE)).turns_new[0]
    statement = weekly(Quoted(answered, 0, 24), Quoted(said))
    assert record(curator_agent, "remember", lambda write: graph.remember(write, statement)).outcome == "created"


def test_a_batch_keeps_its_order_when_some_of_it_waits(curator_agent: Principal, answered: Source) -> None:
    said = say(curator_agent, ("ines", "A weekly report and tea is what I like.", JUNE)).turns_new[0]
    tea = Statement(kind="preference", content="Ines likes tea.", owners=(INES,), evidence=(Quoted(said),))
    given = [weekly(Quoted(answered)), tea]
    told = record(curator_agent, "remember", lambda write: graph.remember_all(write, given))
    assert [one.outcome for one in told] == ["held", "created"]


def test_a_statement_for_few_eyes_is_not_put_before_every_reviewer(curator_agent: Principal, answered: Source) -> None:
    """R6."""
    statement = weekly(Quoted(answered), audience="owners")
    with pytest.raises(Invalid) as refused:
        record(curator_agent, "remember", lambda write: graph.remember(write, statement))
    assert [(one.path, one.code, one.row) for one in refused.value.violations] == [
        ("/audience", "nobody_vouches", None)
    ]


Act = Callable[[Any, Source], Any]


@pytest.mark.parametrize(
    ("act", "path"),
    [
        (
            lambda write, turn: graph.connect(
                write, INES, "worksAt", NodeKeys("organization", {"name": "Ferro Studio"}), evidence=[Quoted(turn)]
            ),
            "/evidence",
        ),
        (
            lambda write, turn: graph.upsert_node(
                write, "person", {"email": "ines@ferro.example", "phone": "+351 910 000 000"}, [Quoted(turn)]
            ),
            "/properties/phone",
        ),
    ],
)
def test_no_edge_and_no_particular_of_a_node_rests_on_a_machines_words_alone(
    curator_agent: Principal, answered: Source, act: Act, path: str
) -> None:
    with pytest.raises(Invalid) as refused:
        record(curator_agent, "write", lambda write: act(write, answered))
    assert [(one.path, one.code) for one in refused.value.violations] == [(path, "nobody_vouches")]


def test_a_machines_words_make_a_node_findable_by_its_key(curator_agent: Principal, answered: Source) -> None:
    given = {"name": "Ferro Studio"}
    record(curator_agent, "write", lambda write: graph.upsert_node(write, "organization", given, [Quoted(answered)]))
    assert Node.objects.filter(node_class="organization", label="Ferro Studio").exists()
