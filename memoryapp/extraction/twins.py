"""One statement found twice: by the rules and by an agent, or by two agents, in the same words."""

from __future__ import annotations

from memoryapp.extraction.models import Candidate
from memoryapp.graph.assessing import assess
from memoryapp.graph.models import Belief
from memoryapp.graph.models.beliefs import Status
from memoryapp.graph.services.beliefs import owners_of
from memoryapp.graph.services.drafts import Draft
from memoryapp.graph.services.ending import support
from memoryapp.graph.services.reading import read_one
from memoryapp.graph.statements import Quoted, Statement
from memoryapp.index.words import words
from memoryapp.ledger.models import Write

SHARED = 0.5
"""How much of the shorter statement's words the other must hold for the two to be one, where no slot says so."""


def merge_into_twin(write: Write, candidate: Candidate, statement: Statement) -> Belief | None:
    """The live belief that another extractor drew from the same words and that means the same, given this quote as one
    more evidence. None where there is none, or where the two contradict each other.
    """
    others = (
        Candidate.objects.filter(
            workspace=write.workspace,
            source=candidate.source_id,
            state__in=[Candidate.State.ACCEPTED, Candidate.State.MERGED],
            span_start__lt=candidate.span_end,
            span_end__gt=candidate.span_start,
            belief__status__in=[Status.ACTIVATED, Status.RESOLVING],
            belief__audience=statement.audience,
        )
        .exclude(run__extractor=candidate.run.extractor)
        .select_related("belief")
        .order_by("recorded_at", "id")
    )
    found = [other.belief for other in others if other.belief is not None]
    if not found:
        return None
    draft = read_one(write, statement)
    twin = next((belief for belief in found if _is_twin(belief, draft)), None)
    if twin is not None:
        support(write, twin, Quoted(candidate.source, candidate.span_start, candidate.span_end))
    return twin


def _is_twin(belief: Belief, draft: Draft) -> bool:
    if belief.statement == draft.digest or belief.shape != draft.shape:
        return False
    if draft.shape == Belief.Shape.EDGE:
        said = (draft.subject, draft.predicate, draft.object)
        return (belief.subject, belief.predicate, belief.object) == said
    if draft.shape == Belief.Shape.PROPERTY or owners_of(belief) != sorted(str(node.pk) for node in draft.owners):
        return False
    if assess(belief.content, draft.content).bearing == "contradicts":
        return False
    if belief.slot and draft.slot:
        return belief.slot == draft.slot
    return belief.kind == draft.kind and _same_words(belief.content, draft.content)


def _same_words(one: str, other: str) -> bool:
    mine, theirs = ({word.stem for word in words(text)} for text in (one, other))
    shorter = min(len(mine), len(theirs))
    return bool(shorter) and len(mine & theirs) > SHARED * shorter
