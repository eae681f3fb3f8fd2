"""What falls when a source is taken back, and what is put before a person because of it.

What lost its last support is archived at once; what others confirm stays; what the fallen had replaced is held again; a
person is asked about what a person had confirmed, about conclusions, and where something cannot come back by itself.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence

from memoryapp.doors.errors import Conflict
from memoryapp.graph import changes
from memoryapp.graph.models import Belief, Mention, Relation, RelationPlayer
from memoryapp.graph.models.beliefs import Audience, Standing, Status
from memoryapp.graph.queries.falling import Fall, Return, foresee
from memoryapp.graph.services import conflict
from memoryapp.graph.services.assembling import Assembly, Playing, change_relation
from memoryapp.graph.services.audiences import readers_of
from memoryapp.graph.services.beliefs import HEAD, change_state, change_states
from memoryapp.ledger.models import Write
from memoryapp.review import services as review
from memoryapp.review.models import Case, CaseSubject, Decision
from memoryapp.review.services import Opening, Subject
from memoryapp.sources import queries as sources
from memoryapp.sources import services as telling
from memoryapp.sources.models import Withdrawal

WITHDRAWAL = "withdrawal"
LOST_SUPPORT = "lost_support"
RETURN = "does_it_hold_again"
FALLEN = "fallen"

TAKEN_BACK = "What it stood on was taken back."
KEPT = "All it stood on was taken back; a person had confirmed it, so it stays until somebody decides."
CONCLUDED = "What it was concluded from was taken back, so it is out of sight."


def withdrawn(write: Write, ids: Sequence[uuid.UUID]) -> None:
    """Let fall what rested on sources that have just been taken back."""
    withdrawal = Withdrawal.objects.filter(write=write).first()
    subjects = (Subject("withdrawal", "withdrawal", withdrawal.pk),) if withdrawal else ()
    fall = foresee(sources=ids)
    carry_out(write, fall, reason=TAKEN_BACK, subjects=subjects)
    if withdrawal and (withdrawal.source_id or withdrawal.thread_id):
        _ask_about_the_fallen(write, withdrawal, fall)
    _void_questions(write, ids)


def lifted(write: Write, ids: Sequence[uuid.UUID]) -> None:
    """The beliefs themselves are put back by the undoing of the decision that took the sources back."""


def let_go(write: Write, belief: Belief, *, reason: str) -> None:
    """Let a belief fall that nothing holds up, with all that stands on it alone."""
    carry_out(write, foresee(belief=belief), reason=reason, subjects=())


def carry_out(write: Write, fall: Fall, *, reason: str, subjects: Sequence[Subject]) -> None:
    """Make it so: statuses, supersessions, what waited on them, everybody who cares, and the questions that remain."""
    change_states(write, fall.fallen, reason=reason, status=Status.ARCHIVED, standing=Standing.WITHDRAWN)
    for one in fall.restored:
        hold_again(write, one, reason="What had taken its place was taken back.")
    touched = [*fall.fallen, *(one.older for one in fall.restored)]
    touched += conflict.reconsider(write, concerned(write, touched))
    changes.announce(write, touched)
    _ask(write, fall, subjects)


def hold_again(write: Write, one: Return, *, reason: str) -> None:
    """Hold a belief as it stood before it was replaced. Raises Conflict `slot_taken`, `not_held_before`."""
    if one.before is None:
        raise Conflict("It was not held when it was replaced.", code="not_held_before")
    change_relation(write, one.relation, reason=reason, state=Relation.State.RETRACTED)
    head = {name: getattr(one.before, name) for name in HEAD}
    change_state(write, one.older, reason=reason, **head)


def hold(write: Write, belief: Belief, *, reason: str) -> None:
    """Hold a belief again that fell, with the valid time it has. Raises Conflict `slot_taken`."""
    change_state(write, belief, reason=reason, status=Status.ACTIVATED, standing=Standing.HOLDS)
    conflict.refuse_taken_slot(belief)
    announce(write, belief)


def announce(write: Write, belief: Belief) -> None:
    """Look anew at what waits on the belief, and tell everybody who cares."""
    changes.announce(write, [belief, *conflict.reconsider(write, concerned(write, [belief]))])


def take_back(
    write: Write, *, source: uuid.UUID | None = None, thread: uuid.UUID | None = None
) -> tuple[Withdrawal, Decision]:
    """Take a source, or a conversation with every turn told so far, back: nothing stands on it any more.

    A decision, listed and undone like any other. Needs `withdraw`. Raises NotFound, Invalid `rationale_missing` and
    Conflict `already_withdrawn`.
    """
    write.by.require("withdraw")
    what, thing = ("source", source) if source else ("thread", thread)
    assert thing is not None
    ids = sources.sources_of(write.by, source=source, thread=thread)
    if not set(ids) - sources.taken_back(ids):
        raise Conflict("It is taken back already.", code="already_withdrawn")
    case = review.open_case(
        write, kind=WITHDRAWAL, key=str(thing), reason=f"A {what} is to be taken back.", subjects=[(what, what, thing)]
    )
    assert case is not None
    decision = review.settle_by_right(write, case, verdict="carry_out")
    return Withdrawal.objects.get(write=write), decision


def stand_on(write: Write, belief: Belief, words: str) -> None:
    """Let a belief stand on what the deciding member says, as a statement of theirs."""
    source = telling.state(write, words, readers=readers_of(belief))
    assembly = Assembly(write, belief.ontology_version)
    players = [Playing("evidence", source=source), Playing("sourced", belief=belief)]
    assembly.add("sourcing", players, reason="A person said what it stands on.")
    assembly.finish()


def concerned(write: Write, touched: Sequence[Belief]) -> list[Belief]:
    """Those of the beliefs on which something waits: a newcomer of an open conflict, or one for the same slot."""
    ids = [one.pk for one in touched]
    disputed = RelationPlayer.objects.filter(
        kind="conflict", belief__in=ids, relation__state=Relation.State.ACTIVATED, relation__valid_to__isnull=True
    )
    waiting = Belief.objects.filter(workspace=write.workspace, status=Status.RESOLVING).exclude(slot="")
    named, slots = set(disputed.values_list("belief", flat=True)), set(waiting.values_list("slot", flat=True))
    return [one for one in touched if one.pk in named or one.slot in slots]


def _ask(write: Write, fall: Fall, subjects: Sequence[Subject]) -> None:
    questions = [(one, KEPT, 70) for one in fall.kept]
    questions += [(one, CONCLUDED, 50) for one in fall.fallen if one.pk in fall.conclusions]
    review.open_cases(
        write,
        LOST_SUPPORT,
        [
            Opening(str(one.pk), reason, (Subject("belief", "belief", one.pk), *subjects), priority)
            for one, reason, priority in questions
        ],
    )
    review.open_cases(
        write,
        RETURN,
        [
            Opening(
                str(one.relation.pk),
                f"What had taken its place was taken back. {one.because}",
                (
                    Subject("older", "belief", one.older.pk),
                    Subject("successor", "belief", one.successor.pk),
                    Subject("supersession", "relation", one.relation.pk),
                    *subjects,
                ),
                50,
            )
            for one in fall.asked
        ],
    )


def _ask_about_the_fallen(write: Write, withdrawal: Withdrawal, fall: Fall) -> None:
    """One question about all that stood on what was taken back alone. About what only few may see, one for each."""
    alone = [one for one in fall.fallen if one.pk not in fall.conclusions]
    narrow = [one for one in alone if one.audience != Audience.WORKSPACE]
    about = Subject("withdrawal", "withdrawal", withdrawal.pk)
    review.open_cases(
        write,
        LOST_SUPPORT,
        [Opening(str(one.pk), TAKEN_BACK, (Subject("belief", "belief", one.pk), about), 30) for one in narrow],
    )
    if count := len(alone) - len(narrow):
        words = "1 belief" if count == 1 else f"{count} beliefs"
        reason = f"{words} stood on it alone and fell."
        review.open_case(write, kind=FALLEN, key=str(withdrawal.pk), reason=reason, subjects=[about], priority=30)


def _void_questions(write: Write, ids: Sequence[uuid.UUID]) -> None:
    """Nobody need say who was meant by a name that only sources taken back hold."""
    unbound = Mention.objects.filter(workspace=write.workspace, node__isnull=True, dismissed=False)
    mine = set(unbound.filter(source__in=ids).values_list("pk", flat=True))
    if not mine:
        return
    about = CaseSubject.objects.filter(workspace=write.workspace, subject_type="mention")
    cases = Case.objects.filter(
        kind="unbound_mention", state=Case.State.OPEN, pk__in=about.filter(subject_id__in=mine).values("case")
    )
    still = set(unbound.exclude(source__in=sources.withdrawn(write.workspace)).values_list("pk", flat=True))
    for case in cases:
        if not still & set(about.filter(case=case).values_list("subject_id", flat=True)):
            review.void_case(write, case, "Where it was said was taken back.")
