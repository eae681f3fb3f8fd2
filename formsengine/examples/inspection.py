"""A site inspection: checks with photos of what is wrong, a score for each area and for the whole, and what follows."""

from __future__ import annotations

from formsengine.definition.builder import FormBuilder, Handle, must
from formsengine.definition.model import Form
from formsengine.definition.rules import OWN, Says, count

RATINGS = {"good": "Good", "fair": "Could be better", "bad": "Not acceptable", "absent": "Not there to be looked at"}
AREAS: dict[str, tuple[str, dict[str, str]]] = {
    "access": (
        "Access and ways",
        {"ways_clear": "Are ways and exits clear?", "lit": "Are they lit?", "signs": "Are they signed?"},
    ),
    "fire": (
        "Fire",
        {
            "extinguishers": "Are extinguishers there and dated?",
            "alarm": "Does the alarm sound?",
            "stores": "Are stores that burn kept apart?",
        },
    ),
    "machines": (
        "Machines",
        {"guards": "Are guards fitted?", "switches": "Do the stops work?", "serviced": "Was each serviced in time?"},
    ),
    "people": (
        "People",
        {
            "equipment": "Is protective equipment worn?",
            "trained": "Is training recorded?",
            "first_aid": "Is first aid at hand?",
        },
    ),
}
SEVERITIES = {
    "low": "When there is time",
    "medium": "Within a month",
    "high": "Within a week",
    "stop": "Work stops until it is done",
}
WEATHERS = {"dry": "Dry", "wet": "Wet", "wind": "Strong wind", "indoors": "Indoors"}


def site_inspection() -> Form:
    """The form, as it is stored."""
    form = FormBuilder("site_inspection", "Site inspection")
    _site(form)
    form.choices("ratings", RATINGS)
    scores = [_area(form, area, title, checks) for area, (title, checks) in AREAS.items()]
    _findings(form)
    _result(form, scores)
    _memory(form)
    return form.compile()


def _site(form: FormBuilder) -> None:
    weathers = form.choices("weathers", WEATHERS)
    with form.step("site", "The site"):
        form.asked("site", "Name of the site", required=True)
        form.ask("point", "place", "Where it is")
        form.date(
            "inspected_on",
            "Inspected on",
            required=True,
            default="today()",
            constraints=[must(". <= today()", "This is still to come.")],
        )
        form.asked("inspector", "Inspector", required=True)
        form.asked("company", "Who runs the site", required=True)
        form.several("weather", weathers, "Weather")
        form.ask("photo", "overview", "A photo of the whole")
        form.integer("workers", "People at work there", constraints=[must(OWN >= 0, "Not less than none")])


def _area(form: FormBuilder, area: str, title: str, checks: dict[str, str]) -> Handle:
    """Checks of an area, a photo where one is not acceptable, and its score of a hundred."""
    with form.step(area, title):
        rated = [form.choice(name, "ratings", label, required=True) for name, label in checks.items()]
        wrong = Says("(" + " or ".join(f"{one} = 'bad'" for one in rated) + ")")
        form.ask("photo", f"{area}_photo", "A photo of what is not acceptable", relevant=wrong)
        form.ask("longtext", f"{area}_why", "What is not acceptable, and why", relevant=wrong, required=True)
        points = " + ".join(f"if({one} = 'good', 2, if({one} = 'fair', 1, 0))" for one in rated)
        asked = " + ".join(f"if({one} != '' and {one} != 'absent', 2, 0)" for one in rated)
        score = form.computed(
            f"{area}_score", Says(f"if(({asked}) > 0, round(100 * ({points}) div ({asked}), 0), '')"), f"{title}: score"
        )
    return score


def _findings(form: FormBuilder) -> None:
    severities = form.choices("severities", SEVERITIES)
    with form.step("findings", "What has to be done"):
        with form.repeat("findings", "Findings", row_label="finding") as findings:
            form.asked("finding", "What", required=True)
            form.ask("photo", "finding_photo", "Photo")
            severity = form.choice("severity", severities, "How soon?", required=True)
            form.asked("responsible", "Who sees to it", required=severity == "stop")
            form.date(
                "by_when",
                "By when",
                relevant=severity != "stop",
                constraints=[must(". >= ${inspected_on}", "Not before the inspection.")],
            )
            form.computed("is_stop", Says("if(${severity} = 'stop', 1, 0)"), "Stops work")
        form.computed("how_many", count(findings), "Findings")
        form.computed("stops", Says("sum(${is_stop})"), "Findings that stop work")


def _result(form: FormBuilder, scores: list[Handle]) -> None:
    together = ", ".join(str(one) for one in scores)
    with form.step("result", "Result"):
        form.computed("score", Says(f"round(sum({together}) div count({together}), 0)"), "Score of the whole")
        form.computed("passed", Says("${score} >= 70 and ${stops} = 0"), "Passed")
        form.ask("signature", "signed", "Signature of the inspector")
        form.ask("longtext", "summary", "Summary")
    form.gate(
        "stopped",
        "${stops} > 0",
        title="The manager of the site is told that work stops",
        owner="reviewer",
        due_hours=2,
    )


def _memory(form: FormBuilder) -> None:
    form.bind("company", "entity", ["company"], data={"class": "organization", "properties": {"name": "company"}})
    form.bind(
        "inspected",
        "episode",
        ["inspected_on"],
        data={
            "kind": "event",
            "when": "inspected_on",
            "text": "{site} was inspected by {inspector}: score {score}, {how_many} findings.",
        },
    )
