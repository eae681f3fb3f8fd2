"""What the workspace's own policy settles without a person. The default policy is empty: everything goes to people.

The policy is data, under `conflict_policy` in the workspace's settings: a list of rules, each with a `name` and

* `kinds`: kinds of belief it speaks of, those below them included (any, when left out);
* `source_kinds`: what the newcomer must have been said in, e.g. chat_turn (any, when left out);
* `spoken_by_owner`: the newcomer was said by somebody whose memory it is;
* `later`: the newcomer begins later than the older one;
* `unconfirmed`: no person wrote or decided anything about the older one;
* `verdict`: what to do then.

The first rule that fits settles. What it settles is a decision of an actor of its own, undone like any other.
"""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from memoryapp.doors.errors import Invalid, Violation
from memoryapp.graph.models import Belief, ParticipantNode, Relation, RelationPlayer
from memoryapp.graph.services.beliefs import owners_of
from memoryapp.graph.services.confirmed import is_confirmed
from memoryapp.graph.slots import EARLIEST
from memoryapp.ledger.models import Actor, Workspace, Write
from memoryapp.ledger.principal import Principal
from memoryapp.ontology import mentions as mentioning
from memoryapp.ontology.compiled import Ontology
from memoryapp.ontology.mentions import Mention
from memoryapp.ontology.queries import current_ontology
from memoryapp.ontology.usage import Part
from memoryapp.review import policies
from memoryapp.review import services as review
from memoryapp.review.models import Case
from memoryapp.review.policies import Part as RulePart
from memoryapp.review.policies import Takes, worded
from memoryapp.sources.models import Source

SETTING = "conflict_policy"
VERDICTS = (
    ("newer_replaces", "Newer replaces older"),
    ("older_stands", "Older stands"),
    ("not_a_conflict", "Not a conflict"),
)


class Rule(BaseModel):
    """One rule of a conflict policy."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(min_length=1, max_length=100)
    verdict: str = Field(pattern="^(newer_replaces|older_stands|not_a_conflict)$")
    kinds: tuple[str, ...] = ()
    source_kinds: tuple[str, ...] = ()
    spoken_by_owner: bool = False
    later: bool = False
    unconfirmed: bool = True


def rules_of(settings: Any) -> list[Rule]:
    """The rules in a workspace's settings. Raises Invalid that names every place that cannot be read."""
    found: list[Rule] = []
    wrong: list[Violation] = []
    for place, rule in enumerate(settings.get(SETTING, [])):
        try:
            found.append(Rule.model_validate(rule))
        except ValidationError as error:
            wrong += [
                Violation(
                    f"/{SETTING}/{place}/" + "/".join(str(step) for step in one["loc"]), "malformed_policy", one["msg"]
                )
                for one in error.errors(include_url=False, include_input=False)
            ]
    if wrong:
        raise Invalid.all(wrong)
    return found


def settle(write: Write, cases: Sequence[Case]) -> list[Belief]:
    """Settle of these new conflict cases what the policy may. Returns the beliefs concerned."""
    rules = rules_of(Workspace.objects.values_list("settings", flat=True).get(pk=write.workspace_id))
    touched: list[Belief] = []
    for case in cases if rules else ():
        sides = _sides(case)
        fresh = Case.objects.get(pk=case.pk)
        rule = fitting(write, rules, *sides)
        if rule is None or fresh.state != Case.State.OPEN:
            continue
        review.settle(
            write, fresh, policy=rule.name, verdict=rule.verdict, rationale=f"The policy “{rule.name}” settled it."
        )
        touched += sides
    return touched


def suggested(write_or_workspace: Write | Workspace, older: Belief, newcomer: Belief) -> Rule | None:
    """The rule that would settle these two now."""
    if isinstance(write_or_workspace, Workspace):
        workspace, settings = write_or_workspace, write_or_workspace.settings
    else:
        workspace = write_or_workspace.workspace
        settings = Workspace.objects.values_list("settings", flat=True).get(pk=workspace.pk)
    rules = rules_of(settings)
    return next((rule for rule in rules if _fits(current_ontology(workspace), rule, older, newcomer)), None)


def fitting(write: Write, rules: Sequence[Rule], older: Belief, newcomer: Belief) -> Rule | None:
    """The first of the rules that fits."""
    ontology = current_ontology(write.workspace)
    return next((rule for rule in rules if _fits(ontology, rule, older, newcomer)), None)


def _fits(ontology: Ontology, rule: Rule, older: Belief, newcomer: Belief, at: dt.datetime | None = None) -> bool:
    if rule.kinds and not any(ontology.is_kind(newcomer.kind, kind) for kind in rule.kinds):
        return False
    if rule.later and not (newcomer.valid_from or EARLIEST) > (older.valid_from or EARLIEST):
        return False
    if rule.unconfirmed and (_was_confirmed(older, at) if at else is_confirmed(older)):
        return False
    if not rule.source_kinds and not rule.spoken_by_owner:
        return True
    said = list(_evidence(newcomer))
    if rule.source_kinds and not any(player.source and player.source.kind in rule.source_kinds for player in said):
        return False
    return not rule.spoken_by_owner or _spoken_by_owner(newcomer, said)


def register() -> None:
    """Let people see this policy, try it and put it in force."""
    mentioning.register(mentions)
    policies.register(
        policies.Policy(
            setting=SETTING,
            title="Conflict policy",
            explains="What is settled without a person when two beliefs contradict each other. The first rule that "
            "fits settles; without one, a person decides.",
            case_kinds=("belief_conflict", "property_conflict"),
            parts=parts,
            read=lambda document: rules_of({SETTING: document}),
            in_force=rules_of,
            words=in_words,
            would=would,
        )
    )


def parts(by: Principal) -> list[RulePart]:
    """What a rule is made of."""
    kinds = sorted(current_ontology(by.workspace).document.belief_kinds)
    return [
        RulePart("name", "Name", required=True),
        RulePart("verdict", "Verdict", Takes.ONE, VERDICTS, required=True, then=True),
        RulePart("kinds", "Kind of belief", Takes.ANY, tuple((one, one.replace("_", " ")) for one in kinds)),
        RulePart("source_kinds", "The newcomer was said in", Takes.ANY, worded(Source.Kind.values)),
        RulePart("spoken_by_owner", "The newcomer was said by whose memory it is", Takes.FLAG),
        RulePart("later", "The newcomer begins later", Takes.FLAG),
        RulePart("unconfirmed", "No person confirmed the older one", Takes.FLAG, otherwise=True),
    ]


def in_words(rules: Sequence[Rule]) -> list[policies.RuleInWords]:
    """The rules as people read them."""
    return [policies.RuleInWords(rule.name, _when(rule), rule.verdict.replace("_", " ")) for rule in rules]


def would(by: Principal, rules: Sequence[Rule], cases: Sequence[Case]) -> dict[uuid.UUID, policies.Would]:
    """What the rules would do with these conflicts as they were when they opened."""
    ontology = current_ontology(by.workspace)
    sides = {case.pk: {one.role: one.subject_id for one in case.subjects.all()} for case in cases}
    beliefs = Belief.objects.visible_to(by).in_bulk({one for roles in sides.values() for one in roles.values()})
    found = {}
    for case in cases:
        older, newcomer = (beliefs.get(sides[case.pk].get(role, case.pk)) for role in ("older", "newcomer"))
        if older is None or newcomer is None:
            continue
        rule = next((one for one in rules if _fits(ontology, one, older, newcomer, case.opened_at)), None)
        if rule is not None:
            found[case.pk] = policies.Would(rule.verdict, rule.name)
    return found


def _when(rule: Rule) -> str:
    said = [
        f"it is {_listed(rule.kinds)}, or a kind below" if rule.kinds else "",
        f"the newcomer was said in {_listed(rule.source_kinds)}" if rule.source_kinds else "",
        "the newcomer was said by whose memory it is" if rule.spoken_by_owner else "",
        "the newcomer begins later" if rule.later else "",
        "no person wrote or decided anything about the older one" if rule.unconfirmed else "",
    ]
    return "; ".join(part for part in said if part) or "always"


def _listed(names: Sequence[str]) -> str:
    return " or ".join(name.replace("_", " ") for name in names)


def _was_confirmed(belief: Belief, at: dt.datetime) -> bool:
    """Whether a person had written it down or decided something about it by then."""
    return belief.states.filter(write__actor__kind=Actor.Kind.PERSON, recorded_at__lt=at).exists()


def _evidence(belief: Belief) -> Sequence[RelationPlayer]:
    sourcing = RelationPlayer.objects.filter(
        kind="sourcing", role="sourced", belief=belief, relation__state=Relation.State.ACTIVATED
    ).values("relation")
    players = RelationPlayer.objects.filter(kind="sourcing", role="evidence", relation__in=sourcing)
    return list(players.select_related("source"))


def _spoken_by_owner(belief: Belief, said: Sequence[RelationPlayer]) -> bool:
    participants = [player.source.participant_id for player in said if player.source and player.source.participant_id]
    owners = [uuid.UUID(owner) for owner in owners_of(belief)]
    return ParticipantNode.objects.filter(participant__in=participants, node__in=owners).exists()


def _sides(case: Case) -> tuple[Belief, Belief]:
    subjects = dict(case.subjects.values_list("role", "subject_id"))
    return Belief.objects.get(pk=subjects["older"]), Belief.objects.get(pk=subjects["newcomer"])


def mentions(workspace: Workspace, part: Part) -> list[Mention]:
    """Rules of the policy that name a kind that goes."""
    if part.family != "belief_kinds" or part.part:
        return []
    rules = Workspace.objects.values_list("settings", flat=True).get(pk=workspace.pk).get(SETTING, [])
    return [
        Mention("rule of the conflict policy", str(rule.get("name", "")))
        for rule in rules
        if isinstance(rule, dict) and part.type in rule.get("kinds", ())
    ]
