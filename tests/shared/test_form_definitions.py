"""Forms that others wrote: what the collected definitions must come to, with the origin of each beside them."""

from __future__ import annotations

import pytest

from formsengine import services
from formsengine.definition.model import Form, Question, Repeat, Section, everything
from formsengine.definition.publish import check
from formsengine.models import FormVersion
from formsengine.problems import Refused
from formsengine.view.shown import Reader, view
from formsengine.xlsform.importing import Imported, import_xlsform
from memoryapp.doors.errors import Invalid
from memoryapp.ledger.principal import Principal
from tests.forms.telling import Forms
from tests.formsengine.filling import Filling
from tests.shared.places import shared

pytestmark = pytest.mark.shared


def imported(name: str) -> Imported:
    return import_xlsform(shared("cases", "forms", "xlsform", name).read_bytes())


def asked(form: Form) -> list[Question]:
    return [each for each in everything(form) if isinstance(each, Question)]


def test_a_field_form_of_foresters_is_taken_without_loss() -> None:
    found = imported("UCL_Biomass_Plot_Form.xlsx")
    assert found.report.not_understood == []
    questions = [each for each in asked(found.form) if each.meta not in ("started", "submitted")]
    everything_there = list(everything(found.form))
    relevant = [each for each in everything_there if isinstance(each, Question | Section | Repeat) and each.relevant]
    assert len(questions) == 63
    assert sum(isinstance(each, Repeat) for each in everything_there) == 5
    assert sum(each.required is not False for each in questions) == 48
    assert len(relevant) == 12
    assert sum(each.filter is not None for each in questions) == 3
    assert found.form.languages == ("sw", "en")


def test_what_keeps_the_foresters_form_from_being_published_is_only_the_files_beside_it() -> None:
    errors = [each for each in check(imported("UCL_Biomass_Plot_Form.xlsx").form)[1] if each.severity == "error"]
    assert {each.code for each in errors} == {"empty"}
    assert {each.accepted[0] for each in errors} == {
        "UCL_regions.csv",
        "UCL_districts.csv",
        "UCL_villages.csv",
        "ULC_Biomass_Plots.csv",
        "species_names.csv",
    }


def test_an_answer_outside_the_list_is_offered_in_words() -> None:
    filling = Filling(imported("specify_other.md").form)
    for language in ("en", "fr"):
        (entry,) = view(filling.response, reader=Reader(language))["ask"]
        assert entry["options"] == ["male: Male", "female: Female", '{"other": "..."}: Other']


@pytest.mark.django_db
def test_through_the_door_they_are_stored_with_their_reports_and_published_where_they_can_be(
    operator: Principal,
) -> None:
    """Imported as bytes, stored as drafts; what only lacks the files beside it is refused with their names."""
    forms = Forms(operator)

    def stored(name: str) -> FormVersion:
        content = shared("cases", "forms", "xlsform", name).read_bytes()
        found = services.read_sheet(content, name=name.split(".")[0])
        version: FormVersion = forms.do(lambda write: services.import_sheet(write, found))
        return version

    other = stored("specify_other.md")
    forms.do(lambda write: services.publish(write, other))
    opened = forms.opened("specify_other")
    written = forms.write(opened, {"op": "set", "field": "sex", "value": {"other": "Both"}})
    assert [each["verdict"] for each in written.verdicts] == ["in-force"]
    foresters = stored("UCL_Biomass_Plot_Form.xlsx")
    assert foresters.report["not_understood"] == []
    with pytest.raises(Invalid) as refused:
        forms.do(lambda write: services.publish(write, foresters))
    assert {each.accepted for each in refused.value.violations} >= {"UCL_regions.csv", "species_names.csv"}
    with pytest.raises(Invalid) as twice:
        stored("duplicate_columns.xlsx")
    assert (twice.value.violations[0].code, twice.value.violations[0].path) == ("repeated_column", "/survey/label")


def test_a_heading_that_stands_twice_is_refused_by_name() -> None:
    with pytest.raises(Refused) as caught:
        imported("duplicate_columns.xlsx")
    assert (caught.value.problems[0].code, caught.value.problems[0].path) == ("repeated-column", "survey/label")
