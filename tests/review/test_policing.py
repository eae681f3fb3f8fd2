"""Policies before people: in words, tried over what people decided, put in force, and their work looked at."""

from __future__ import annotations

import re
from typing import Any

import pytest

from memoryapp.doors.errors import Conflict, Denied, Invalid
from memoryapp.extraction import cases as acceptance_cases
from memoryapp.graph import policy as conflicts
from memoryapp.graph.models import Belief
from memoryapp.ledger.models import Workspace
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.review import policies, policing, queries, services
from memoryapp.review.models import Audit, Case, Decision, PolicyEdition
from tests.graph.telling import Memory
from tests.visiting import client_of

pytestmark = pytest.mark.django_db(transaction=True)

POLICIES = "/w/harbour/policies/"
LATER = [{"name": "later word", "verdict": "newer_replaces", "later": True}]


@pytest.fixture
def memory(curator_agent: Principal, operator: Principal) -> Memory:
    return Memory(curator_agent, operator)


def typed(setting: str, rules: list[dict[str, Any]], **more: str) -> dict[str, Any]:
    """These rules as somebody types them into the form."""
    fields: dict[str, Any] = {"setting": setting, "rows": str(len(rules)), **more}
    for row, rule in enumerate(rules):
        rule = {"unconfirmed": True} | rule if setting == "conflict_policy" else rule
        fields |= {f"{row}.{name}": "yes" if value is True else value for name, value in rule.items()}
    return fields


def disagree(memory: Memory, name: str) -> Case:
    owner = memory.node(name)
    memory.say("2026-03-02", f"{name} wants weekly letters", owner, topic="letters")
    memory.say("2026-06-01", f"{name} wants monthly letters", owner, topic="letters")
    return Case.objects.latest("opened_at")


def decide(by: Principal, case: Case, verdict: str, why: str = "") -> Decision:
    return record(by, "decide", lambda write: services.decide(write, case.pk, lock=case.lock, verdict=verdict), why)


def test_rules_are_tried_over_what_people_decided(memory: Memory, administrator: Principal) -> None:
    for name, verdict in (("Ines", "newer_replaces"), ("Tomas", "newer_replaces"), ("Duarte", "older_stands")):
        decide(administrator, disagree(memory, name), verdict)
    policy = policies.policy_named("conflict_policy")
    assert policy is not None
    trial = queries.tried(administrator, policy, conflicts.rules_of({"conflict_policy": LATER}))
    assert (trial.decided, trial.total.acted, trial.total.agreed, trial.total.percent) == (3, 3, 2, 67)
    assert [(one.verdict, would.verdict) for one, would in trial.disagreed] == [("older_stands", "newer_replaces")]
    none = queries.tried(administrator, policy, [])
    assert (none.decided, none.total.acted) == (3, 0)
    page = client_of(administrator).post(POLICIES, typed("conflict_policy", LATER))
    text = page.content.decode()
    assert "would have agreed with people in 67&nbsp;%" in text
    assert "Duarte wants monthly letters" in text
    assert not PolicyEdition.objects.exists()


def test_rules_that_cannot_be_read_are_refused_with_their_place(administrator: Principal, memory: Memory) -> None:
    for wrong, said in (
        ({"name": "x"}, "Verdict is needed."),
        ({"name": "", "verdict": "older_stands"}, "Name is needed."),
        ({"name": "x", "verdict": "flip"}, "There is no “flip” here."),
        ({"name": "x", "verdict": "older_stands", "kinds": "nonsense"}, "There is no “nonsense” here."),
    ):
        for address in (POLICIES, f"{POLICIES}put-in-force/"):
            page = client_of(administrator).post(address, typed("conflict_policy", [wrong]))
            assert page.status_code == 422, (address, wrong)
            assert said in page.content.decode()
    page = client_of(administrator).post(
        POLICIES,
        typed("acceptance_policy", [{"name": "x", "outcome": "hold", "because": "y", "confidence_from": "200"}]),
    )
    assert "is no percentage" in page.content.decode()
    assert 'aria-describedby="acceptance_policy-0-confidence_from-error"' in page.content.decode()
    with pytest.raises(Invalid) as refused:
        conflicts.rules_of({"conflict_policy": [{"name": "x"}]})
    assert [one.path for one in refused.value.violations] == ["/conflict_policy/0/verdict"]
    assert not PolicyEdition.objects.exists()


def test_rules_put_in_force_settle_from_then_on_and_every_edition_is_kept(
    memory: Memory, administrator: Principal, reviewer: Principal
) -> None:
    given = typed("conflict_policy", LATER)
    assert client_of(reviewer).post(f"{POLICIES}put-in-force/", given).status_code == 403
    with pytest.raises(Denied):
        record(reviewer, "policy", lambda write: policing.put_in_force(write, setting="conflict_policy", document=[]))
    assert client_of(administrator).post(f"{POLICIES}put-in-force/", given).status_code == 302
    edition = PolicyEdition.objects.get()
    assert (edition.document, edition.write.actor) == (LATER, administrator.actor)
    memory.by.workspace.refresh_from_db()
    disagree(memory, "Ines")
    assert Decision.objects.get().policy == "later word"
    assert Belief.objects.get(content="Ines wants monthly letters").status == "activated"
    assert "the newcomer begins later" in client_of(reviewer).get(POLICIES).content.decode()


def test_who_was_overtaken_is_told_before_other_rules_are_replaced(memory: Memory, administrator: Principal) -> None:
    client = client_of(administrator)

    def shown(page: str) -> str:
        found: list[str] = re.findall(
            r'value="conflict_policy">\s*<input type="hidden" name="seen" value="(\w+)"', page
        )
        return found[0]

    seen = shown(client.get(POLICIES).content.decode())
    mine = typed("conflict_policy", LATER) | {"seen": seen}
    other = typed("conflict_policy", [LATER[0] | {"name": "other"}]) | {"seen": seen}
    assert client.post(f"{POLICIES}put-in-force/", other).status_code == 302
    refused = client.post(f"{POLICIES}put-in-force/", mine)
    told = refused.content.decode()
    assert (refused.status_code, PolicyEdition.objects.count()) == (422, 1)
    assert "Somebody put other rules in force after what you saw." in told
    assert 'value="later word"' in told
    again = mine | {"seen": shown(told)}
    assert client.post(f"{POLICIES}put-in-force/", again).status_code == 302
    assert PolicyEdition.objects.latest("recorded_at").document == LATER


def test_rules_are_a_form_with_rows_that_are_added_moved_and_taken_away(
    memory: Memory, administrator: Principal
) -> None:
    client = client_of(administrator)
    first: dict[str, Any] = {"name": "first", "verdict": "older_stands"}
    two = [first, {"name": "second", "verdict": "newer_replaces", "later": True}]

    def names(do: str) -> list[str]:
        text = client.post(POLICIES, typed("conflict_policy", two, do=do), headers={"HX-Request": "true"}).content
        return re.findall(r'name="\d\.name" value="([^"]*)"', text.decode())

    assert names("add") == ["first", "second", ""]
    assert names("up:1") == names("down:0") == ["second", "first"]
    assert names("up:0") == names("down:1") == names("remove:7") == ["first", "second"]
    assert names("remove:0") == ["second"]
    said = client.post(POLICIES, typed("conflict_policy", two, do="words"), headers={"HX-Request": "true"})
    assert "when the newcomer begins later; no person wrote" in said.content.decode()
    page = client.get(POLICIES).content.decode()
    assert 'value="participants"' in page, "one sets out from the default rules"
    assert "{&quot;" not in page


def test_saving_rules_as_they_are_drops_nothing_that_they_name(
    memory: Memory, administrator: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An agent beyond those that are listed, one that is gone, a kind that is no more: each stands chosen."""
    monkeypatch.setattr(acceptance_cases, "MOST_AGENTS", 0)
    rule = {"name": "few", "outcome": "accept", "because": "y", "agents": ["zz-agent"], "kinds": ["shanty"]}
    setting = {"acceptance_policy": [rule]}
    Workspace.objects.filter(pk=administrator.workspace.pk).update(settings=setting)
    client = client_of(administrator)
    shown = client.get(POLICIES).content.decode()
    chosen = re.findall(r'name="0\.(agents|kinds)" value="([^"]*)" checked', shown)
    assert sorted(chosen) == [("agents", "zz-agent"), ("kinds", "shanty")]
    assert "The first 0 by name, and those that a rule in force names." in shown
    assert client.post(f"{POLICIES}put-in-force/", typed("acceptance_policy", [rule])).status_code == 302
    assert PolicyEdition.objects.get().document == [rule]


def test_what_a_form_of_rules_cannot_hold_is_refused_and_not_cut(administrator: Principal, memory: Memory) -> None:
    client, rule = client_of(administrator), {"name": "x", "outcome": "hold", "because": "y"}
    long = client.post(f"{POLICIES}put-in-force/", typed("acceptance_policy", [rule | {"because": "y" * 301}]))
    many = client.post(f"{POLICIES}put-in-force/", typed("acceptance_policy", [rule] * 51))
    assert (long.status_code, many.status_code) == (422, 422)
    assert "Because is too long. Accepted: at most 300 characters." in long.content.decode()
    assert "51 rules are too many." in many.content.decode()


def test_v5_a_share_of_what_policy_settled_is_looked_at_and_disagreement_is_counted(
    memory: Memory, administrator: Principal
) -> None:
    """V5: what policy settled is listed, sampled, agreed with or taken back, and the figures open what they count."""
    workspace = memory.by.workspace
    workspace.settings = {"conflict_policy": LATER, "audit_share": 100}
    workspace.save(update_fields=["settings"])
    administrator.workspace.refresh_from_db()
    for name in ("Ines", "Tomas", "Duarte"):
        disagree(memory, name)
    first, second, third = queries.sample(administrator)
    record(administrator, "agree", lambda write: policing.agree(write, first.pk))
    record(administrator, "agree", lambda write: policing.agree(write, first.pk))
    assert Audit.objects.count() == 1
    record(administrator, "undo", lambda write: services.undo(write, second.pk))
    with pytest.raises(Conflict):
        record(administrator, "agree", lambda write: policing.agree(write, second.pk))
    assert [one.pk for one in queries.sample(administrator)] == [third.pk]
    figure = queries.figures(administrator)["policy"]["later word"]
    assert (figure.settled, figure.looked_at, figure.taken_back, figure.percent) == (3, 2, 1, 50)
    client = client_of(administrator)
    opened = client.get("/w/harbour/queue/decisions/?trait=policy&value=later+word&taken_back=yes").content.decode()
    assert opened.count("decision__about") == 1
    assert "50&nbsp;%" in client.get(POLICIES).content.decode()


def test_nobody_is_asked_to_look_where_the_share_is_none(memory: Memory, administrator: Principal) -> None:
    workspace = memory.by.workspace
    workspace.settings = {"conflict_policy": LATER, "audit_share": 0}
    workspace.save(update_fields=["settings"])
    administrator.workspace.refresh_from_db()
    disagree(memory, "Ines")
    assert queries.sample(administrator) == []


def test_a_case_shows_what_was_decided_on_others_like_it_and_what_policy_would_do(
    memory: Memory, administrator: Principal
) -> None:
    decide(administrator, disagree(memory, "Ines"), "older_stands", "Asked her.")
    shown = queries.presented(administrator, disagree(memory, "Tomas").pk)
    assert [one.verdict for one in shown.precedents] == ["older_stands"]
    assert "No conflict policy is in force" in shown.policy
    page = client_of(administrator).get("/w/harbour/queue/").content.decode()
    assert "Decided on cases like this" in page
    assert "Asked her." in page


def test_decisions_show_peoples_first(memory: Memory, administrator: Principal) -> None:
    decide(administrator, disagree(memory, "Ines"), "older_stands", "Asked her.")
    memory.by.workspace.settings = {"conflict_policy": LATER}
    memory.by.workspace.save(update_fields=["settings"])
    disagree(memory, "Tomas")
    client: Any = client_of(administrator)
    text = {
        whose: client.get(f"/w/harbour/queue/decisions/?whose={whose}").content.decode()
        for whose in ("", "policy", "all")
    }
    assert [text[""].count("decision__about"), text["policy"].count("decision__about")] == [1, 1]
    assert text["all"].count("decision__about") == 2
