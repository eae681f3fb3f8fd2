"""Forms name declared types: what would break one is refused by its name, and a type called otherwise breaks none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from formsengine.definition.stored import as_data
from formsengine.services.defining import problems, publish
from memoryapp.doors.errors import Conflict
from memoryapp.graph.models import Belief
from memoryapp.ledger.principal import Principal
from memoryapp.ontology.queries.proposals import outlook
from tests.forms.telling import Forms, acts, patient
from tests.graph.nodes.telling import Graph
from tests.ontology.proposing import Office

pytestmark = pytest.mark.django_db


@pytest.fixture
def office(agent: Callable[..., Principal], administrator: Principal) -> Office:
    return Office(agent(administrator.workspace, ["curate", "propose"], "Quay"), administrator)


def stand(office: Office, *changes: dict[str, Any]) -> list[str]:
    """What a dry run says would no longer work."""
    return [one.message for one in outlook(office.admin, list(changes)).examined.violations if one.code == "mentioned"]


def gone(family: str, type: str, name: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {"change": "retire", "family": family, "type": type}
    return found | {"part": "property", "name": name} if name else found


def asks_memory() -> dict[str, Any]:
    """A form that writes nothing: one answer is filled from where the subject works, one names a product."""
    data = as_data(patient())
    data["bindings"], data["id"] = [], "asking"
    who = data["steps"][0]["items"]
    who[1] = who[1] | {"type": "text", "prefill": {"source": "related", "key": "worksAt.industry", "policy": "fill"}}
    who[3] = who[3] | {"type": "entity", "parameters": "class=product"}
    return data


def test_a_change_that_would_break_a_form_is_refused_and_names_it(forms: Forms, office: Office) -> None:
    """A8: where a form writes, what it is filled from, and by what it knows a node."""
    named = "The form “patient” names "
    for change, what in (
        (gone("node_classes", "product"), "product"),
        (gone("relationships", "worksAt"), "worksAt"),
        (gone("episode_kinds", "event"), "event"),
        (gone("node_classes", "person", "birthday"), "property birthday of person"),
        (gone("node_classes", "person", "pronouns"), "property pronouns of person"),
    ):
        assert f"{named}{what}." in stand(office, change), change
        with pytest.raises(Conflict) as refused:
            office.approve(office.propose(change))
        assert "patient" in str(refused.value.violations)
    keys = {"change": "set_keys", "type": "organization", "keys": [["domain"], ["acronym"]]}
    assert stand(office, keys) == [f"{named}organization by its name."]
    assert stand(office, keys | {"keys": [["domain"], ["name"]]}) == []
    assert stand(office, gone("node_classes", "project", "name")) == []


def test_a_form_that_only_reads_is_named_too(forms: Forms, office: Office) -> None:
    """A8: what fills an answer, and the class of nodes that a field asks for."""
    forms.published(asks_memory())
    named = "The form “asking” names "
    assert f"{named}worksAt." in stand(office, gone("relationships", "worksAt"))
    assert f"{named}product." in stand(office, gone("node_classes", "product"))
    assert f"{named}property industry of organization." in stand(
        office, gone("node_classes", "organization", "industry")
    )
    assert f"{named}property pronouns of person." not in stand(office, gone("node_classes", "person", "pronouns"))


def test_a_form_goes_on_when_what_it_names_is_called_otherwise(forms: Forms, office: Office, graph: Graph) -> None:
    """A9: the form is filled and submitted as it was written; what it tells is kept under the names of today."""
    ines = graph.person("Ines Ferro")
    office.put_in_force(
        {"change": "rename", "family": "node_classes", "type": "organization", "to": "company"},
        {"change": "rename", "family": "relationships", "type": "worksAt", "to": "employedBy"},
        {"change": "rename", "family": "node_classes", "type": "person", "part": "property"}
        | {"name": "pronouns", "to": "spoken_of_as"},
    )
    opened = forms.opened(subject=ines.pk)
    forms.answer(opened, name="Ines Ferro", pronouns="she", works=True, employer="Ferro Studio")
    assert acts(forms.submit(opened)) == {"pronouns": "create", "employer": "create", "employed": "create"}
    told = Belief.objects.filter(subject=ines, predicate__in=["spoken_of_as", "employedBy"])
    assert sorted(told.values_list("predicate", flat=True)) == ["employedBy", "spoken_of_as"]
    assert told.get(predicate="employedBy").object.node_class == "company"  # type: ignore[union-attr]
    assert "The form “patient” names employedBy." in stand(office, gone("relationships", "employedBy"))
    assert "The form “patient” names company." in stand(office, gone("node_classes", "company"))
    again = forms.published(as_data(patient()) | {"id": "again"})
    assert again.state == "live"


def test_an_answer_is_filled_from_what_is_called_otherwise_now(forms: Forms, office: Office, graph: Graph) -> None:
    """A9: what the form asks memory for by the former name."""
    ines = graph.node("person", name="Ines Ferro", email="ines@ferro.example", pronouns="she")
    data = as_data(patient())
    data["steps"][0]["items"][3]["prefill"] = {"source": "subject", "key": "pronouns", "policy": "fill"}
    forms.published(data | {"id": "filled"})
    office.put_in_force(
        {"change": "rename", "family": "node_classes", "type": "person", "part": "property"}
        | {"name": "pronouns", "to": "spoken_of_as"}
    )
    assert forms.view(forms.opened("filled", subject=ines.pk), scope="field", id="pronouns")["value"] == "she"
    dropped = gone("node_classes", "person", "spoken_of_as")
    assert "The form “filled” names property spoken_of_as of person." in stand(office, dropped)


def test_a_form_is_named_where_it_offers_a_value_that_goes_or_tells_no_more_than_before(
    forms: Forms, office: Office
) -> None:
    """A8: an allowed value that is removed, and a property that becomes required. What was declared a moment ago it may
    name at once."""
    size = {"family": "node_classes", "type": "organization", "name": "size"}
    data = as_data(patient())
    data["id"] = "sized"
    data["lists"] = [{"name": "sizes", "choices": [{"code": "small", "label": {"en": "Small"}}]}]
    data["steps"][1]["items"].append({"kind": "field", "name": "size", "type": "choice", "choices": "sizes"})
    data["bindings"][3]["data"]["properties"] = {"name": "employer", "size": "size"}
    stored = forms.stored(data)
    [undeclared] = [one for one in problems(stored) if one.severity == "error"]
    assert "size" in undeclared.message
    office.put_in_force(size | {"change": "add_property", "declaration": {"enum": ["small", "large"]}})
    assert not [one for one in problems(stored) if one.severity == "error"]
    forms.do(lambda write: publish(write, stored))
    left = size | {"change": "set_property", "declaration": {"enum": ["large"]}}
    assert stand(office, left) == ["The form “sized” names the value 'small' of size of organization."]
    assert stand(office, left | {"declaration": {"enum": ["small"]}}) == []
    reason = {"change": "add_property", "family": "episode_kinds", "type": "event", "name": "reason"}
    needed = reason | {"declaration": {"type": "string"}, "required": True}
    told = "tells of event without reason."
    assert stand(office, needed) == [f"The form “patient” {told}", f"The form “sized” {told}"]
    assert stand(office, needed | {"required": False}) == []
