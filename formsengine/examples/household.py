"""A household survey: who lives here, each in a row of the roster, and what follows from it about all of them."""

from __future__ import annotations

from formsengine.definition.builder import FormBuilder, must
from formsengine.definition.model import Form
from formsengine.definition.rules import OWN, Says, count

KIN = {
    "head": "Head of the household",
    "partner": "Partner",
    "child": "Child",
    "parent": "Parent",
    "other_kin": "Other relative",
    "not_kin": "Not related",
}
SCHOOLS = {
    "none": "None",
    "primary": "Primary",
    "secondary": "Secondary",
    "vocational": "Vocational",
    "higher": "Higher",
}
TENURES = {"owned": "Owned", "rented": "Rented", "lent": "Lent"}
WATERS = {"piped": "Piped into the dwelling", "tap": "A shared tap", "well": "A well", "surface": "River, lake or pond"}
FUELS = {"gas": "Gas", "electric": "Electricity", "wood": "Wood", "charcoal": "Charcoal", "none": "Nothing is cooked"}
GOODS = {
    "radio": "Radio",
    "phone": "Mobile phone",
    "fridge": "Refrigerator",
    "bicycle": "Bicycle",
    "boat": "Boat",
    "none": "None of these",
}
REGIONS = {"north": "North", "south": "South"}
DISTRICTS = {
    "hillside": ("Hillside", "north"),
    "quarry": ("Quarry", "north"),
    "harbour": ("Harbour", "south"),
    "marsh": ("Marsh", "south"),
}


def household_survey() -> Form:
    """The form, as it is stored."""
    form = FormBuilder("household_survey", "Household survey")
    _visit(form)
    _roster(form)
    _dwelling(form)
    _food(form)
    _end(form)
    _memory(form)
    return form.compile()


def _visit(form: FormBuilder) -> None:
    regions = form.choices("regions", REGIONS)
    districts = form.choices(
        "districts",
        [
            {"code": code, "label": {"en": label}, "attributes": {"region": region}}
            for code, (label, region) in DISTRICTS.items()
        ],
    )
    with form.step("visit", "The visit"):
        form.date("visited_on", "Date of the visit", required=True, default="today()")
        region = form.choice("region", regions, "Region", required=True)
        form.choice("district", districts, "District", required=True, filter=f"region = {region}")
        form.asked("address", "Address or how to find it")
        form.ask(
            "consent",
            "agreed",
            "Does the household agree to be asked?",
            required=True,
            may_decline=False,
            statement="The answers serve the plan of the district. No name is shown outside the survey.",
        )


def _roster(form: FormBuilder) -> None:
    kin, schools = form.choices("kin", KIN), form.choices("schools", SCHOOLS)
    with form.step("roster", "Who lives here"):
        size = form.integer(
            "size",
            "How many people live here?",
            required=True,
            constraints=[must((OWN >= 1) & (OWN <= 40), "1 to 40")],
        )
        with form.repeat("people", "People", count=size, row_label="person") as people:
            form.asked("person", "Name", required=True)
            form.choice("kinship", kin, "To the head of the household", required=True)
            age = form.integer(
                "age", "Age in whole years", required=True, constraints=[must((OWN >= 0) & (OWN <= 120), "0 to 120")]
            )
            form.ask("phone", "own_phone", "A telephone of their own", relevant=age >= 12, sensitive=True)
            form.boolean("at_school", "Goes to school now?", relevant=(age >= 5) & (age <= 24))
            form.choice("school", schools, "Highest school finished", relevant=age >= 15)
            works = form.boolean("works", "Worked for pay in the last month?", relevant=age >= 15)
            form.asked("work", "At what?", relevant=works)
            form.decimal(
                "earned",
                "Earned in that month",
                relevant=works,
                sensitive=True,
                constraints=[must(OWN >= 0, "Not less than nothing")],
            )
            form.computed("child", Says("if(${age} < 15, 1, 0)"), "Counts as a child")
            form.computed("earner", Says("if(${works}, 1, 0)"), "Counts as earning")
            form.computed("head", Says("if(${kinship} = 'head', 1, 0)"), "Counts as the head")
        form.computed("listed", count(people), "People listed")
        form.computed("children", Says("sum(${child})"), "Children under 15")
        form.computed("earners", Says("sum(${earner})"), "People who earned")
        form.computed("income", Says("sum(${earned})"), "Income of the month, together")
        each = Says("if(${listed} > 0, round(${income} div ${listed}, 2), 0)")
        form.computed("income_each", each, "Income for each person")
        form.ask("row", "answers", "Who answers for the household?", rows_of="people")
        form.check("sum(${head}) <= 1", "Only one can be the head of the household.", blames=["kinship"])


def _dwelling(form: FormBuilder) -> None:
    tenures, waters = form.choices("tenures", TENURES), form.choices("waters", WATERS)
    fuels = form.choices("fuels", FUELS)
    goods = form.choices(
        "goods",
        [
            {"code": code, "label": {"en": label}, **({"exclusive": True} if code == "none" else {})}
            for code, label in GOODS.items()
        ],
    )
    with form.step("dwelling", "Where they live"):
        tenure = form.choice("tenure", tenures, "Is the dwelling owned, rented or lent?")
        form.decimal("rent", "Rent a month", relevant=tenure == "rented")
        rooms = form.integer("rooms", "Rooms to sleep in", required=True, constraints=[must(OWN >= 1, "At least one")])
        form.computed("crowding", Says(f"round(${{listed}} div {rooms}, 1)"), "People a room")
        water = form.choice("water", waters, "Water to drink comes from", required=True, other=True)
        fetched = (water == "tap") | (water == "well") | (water == "surface")
        form.integer("water_minutes", "Minutes to fetch it and come back", relevant=fetched)
        form.choice("fuel", fuels, "Cooked with")
        form.several("goods", goods, "What the household has")


def _food(form: FormBuilder) -> None:
    with form.step("food", "Food in the last month"):
        worried = form.boolean("worried", "Was anybody worried there would not be enough?")
        with form.section("hunger", "Going without", relevant=worried):
            form.boolean("smaller", "Did anybody eat less than they wanted?")
            form.boolean("skipped", "Did anybody skip a meal?")
            form.boolean("whole_day", "Did anybody eat nothing for a whole day?")
        form.computed(
            "hunger_score",
            Says("if(${worried}, 1, 0) + if(${smaller}, 1, 0) + if(${skipped}, 1, 0) + if(${whole_day}, 2, 0)"),
            "Score of hunger, 0 to 5",
        )


def _end(form: FormBuilder) -> None:
    with form.step("end", "Before leaving"):
        again = form.boolean("again", "May we come back?")
        form.ask("phone", "telephone", "Telephone", relevant=again)
        form.ask("longtext", "remarks", "Remarks of the interviewer")
    form.gate(
        "hungry",
        "${hunger_score} >= 4",
        title="A supervisor looks at households without food",
        owner="reviewer",
        due_hours=24,
    )


def _memory(form: FormBuilder) -> None:
    form.bind(
        "member",
        "entity",
        ["person"],
        data={"class": "person", "properties": {"name": "person", "phone": "own_phone"}},
    )
    form.bind(
        "surveyed",
        "episode",
        ["visited_on"],
        data={
            "kind": "event",
            "when": "visited_on",
            "text": "Household survey in {district}: {listed} people, {children} of them children.",
        },
    )
