"""Forms that others wrote: what the collected definitions must come to, with the origin of each beside them."""

from __future__ import annotations

import pytest

from formsengine.definition.model import Form, Question, Repeat, Section, everything
from formsengine.definition.publish import check
from formsengine.problems import Refused
from formsengine.view.shown import Reader, view
from formsengine.xlsform.importing import Imported, import_xlsform
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


def test_a_heading_that_stands_twice_is_refused_by_name() -> None:
    with pytest.raises(Refused) as caught:
        imported("duplicate_columns.xlsx")
    assert (caught.value.problems[0].code, caught.value.problems[0].path) == ("repeated-column", "survey/label")
