"""Small forms that several tests fill."""

from __future__ import annotations

from formsengine.definition.builder import FormBuilder, must
from formsengine.definition.model import Form
from formsengine.definition.rules import OWN, count, total


def household() -> Form:
    """A person, a place chosen in a cascade, and the children in rows."""
    form = FormBuilder("household", {"en": "Household", "ru": "Семья"}, languages=("en", "ru"))
    regions = form.choices("regions", {"north": {"en": "North", "ru": "Север"}, "south": {"en": "South", "ru": "Юг"}})
    districts = form.choices(
        "districts",
        [
            {"code": "n1", "label": {"en": "Hillside", "ru": "Холмы"}, "attributes": {"region": "north"}},
            {"code": "s1", "label": {"en": "Harbour", "ru": "Гавань"}, "attributes": {"region": "south"}},
            {"code": "border", "label": {"en": "Border", "ru": "Граница"}, "attributes": {"region": "south"}},
        ],
    )
    with form.step("person", {"en": "The person", "ru": "Человек"}):
        form.asked("mother_name", {"en": "Name", "ru": "Имя"}, required=True)
        age = form.integer(
            "age",
            {"en": "Age", "ru": "Возраст"},
            constraints=[must((OWN >= 0) & (OWN < 130), {"en": "0 to 129", "ru": "0–129"})],
        )
        form.boolean("works", {"en": "Works", "ru": "Работает"}, relevant=age >= 15)
    with form.step("place", {"en": "The place", "ru": "Место"}):
        region = form.choice("region", regions, {"en": "Region", "ru": "Область"}, required=True)
        form.choice("district", districts, {"en": "District", "ru": "Район"}, filter=f"region = {region}")
    with form.step("family", {"en": "The family", "ru": "Семья"}):
        kids = form.integer("kids", {"en": "How many children", "ru": "Сколько детей"})
        with form.repeat("children", {"en": "Children", "ru": "Дети"}, count=kids, row_label="child_name") as children:
            form.asked("child_name", {"en": "Name", "ru": "Имя"})
            child_age = form.integer("child_age", {"en": "Age of the child", "ru": "Возраст ребёнка"})
        form.computed("ages", total(child_age), {"en": "Ages together", "ru": "Сумма лет"})
        form.computed("listed", count(children), {"en": "Children listed", "ru": "Детей в списке"})
    return form.compile()
