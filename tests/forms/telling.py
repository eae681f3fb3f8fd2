"""What tests of stored forms say in one line: a form is published, a response opened, answered, submitted."""

from __future__ import annotations

import uuid
from typing import Any

from formsengine import queries, services
from formsengine.definition.builder import FormBuilder, must
from formsengine.definition.model import Form as Definition
from formsengine.definition.rules import OWN
from formsengine.definition.stored import as_data
from formsengine.inputs import Answers, Opening
from formsengine.log.writing import values
from formsengine.models import FormOutcome, FormResponse, FormVersion
from formsengine.services import Written
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record


def patient(**more: Any) -> Definition:
    """About a person: what memory may know, what it is told, an employer, and the doses of a medicine in rows."""
    form = FormBuilder("patient", "A patient", **more)
    with form.step("who", "Who"):
        form.asked("name", "Name", required=True)
        form.date("born", "Born", prefill={"source": "subject", "key": "birthday", "policy": "fill"})
        form.asked("address", "Address", prefill={"source": "subject", "key": "address"}, sensitive=True)
        form.asked("pronouns", "Pronouns")
    with form.step("work", "Work"):
        works = form.boolean("works", "Do you work?")
        form.asked("employer", "Employer", relevant=works)
    with form.step("medicine", "Medicine"):
        form.integer("pain", "Pain", constraints=[must((OWN >= 0) & (OWN <= 10), "0 to 10")])
        with form.repeat("medicines", "Medicines", row_label="medicine"):
            form.asked("medicine", "Medicine")
            form.decimal("dose", "Dose")
    form.bind("born", "property", ["born"], data={"of": "subject", "property": "birthday"})
    form.bind("address", "property", ["address"], data={"of": "subject", "property": "address"})
    form.bind("pronouns", "property", ["pronouns"], policy="supersede", data={"of": "subject", "property": "pronouns"})
    form.bind("employer", "entity", ["employer"], data={"class": "organization", "properties": {"name": "employer"}})
    form.bind(
        "employed",
        "relation",
        ["employer"],
        policy="supersede",
        data={"of": "subject", "relationship": "worksAt", "to": "employer"},
    )
    form.bind("taken", "entity", ["medicine"], data={"class": "product", "properties": {"name": "medicine"}})
    form.bind(
        "seen",
        "episode",
        ["pain"],
        data={"kind": "event", "text": "{name} has a pain of {pain}.", "participants": [{"node": "subject"}]},
    )
    return form.compile()


class Forms:
    """A workspace as one principal fills forms in it."""

    def __init__(self, by: Principal) -> None:
        self.by = by

    def do(self, act: Any, by: Principal | None = None) -> Any:
        return record(by or self.by, "test", act)

    def stored(self, definition: Definition | dict[str, Any], by: Principal | None = None) -> FormVersion:
        data = definition if isinstance(definition, dict) else as_data(definition)
        version: FormVersion = self.do(lambda write: services.define(write, data), by)
        return version

    def published(self, definition: Definition | dict[str, Any]) -> FormVersion:
        version = self.stored(definition)
        live: FormVersion = self.do(lambda write: services.publish(write, version))
        return live

    def opened(self, form: str = "patient", by: Principal | None = None, **more: Any) -> Written:
        written: Written = self.do(lambda write: services.open_response(write, Opening(form, **more)), by)
        return written

    def write(
        self, response: Written | uuid.UUID, *ops: dict[str, Any], by: Principal | None = None, **more: Any
    ) -> Written:
        wanted = response.row.pk if isinstance(response, Written) else response
        written: Written = self.do(lambda write: services.answer(write, wanted, Answers(ops, **more)), by)
        return written

    def answer(self, response: Written, by: Principal | None = None, **answers: Any) -> Written:
        """Each field set, as whoever saw the response as it stands now."""
        return self.write(response, *values(**answers), by=by, base=self.row(response).lock)

    def submit(self, response: Written, by: Principal | None = None, **more: Any) -> list[FormOutcome]:
        more.setdefault("base", self.row(response).lock)
        done: tuple[Written, list[FormOutcome]] = self.do(
            lambda write: services.submit(write, response.row.pk, **more), by
        )
        return done[1]

    def settle(self, verb: Any, response: Written, by: Principal | None = None, **more: Any) -> Written:
        written: Written = self.do(lambda write: verb(write, response.row.pk, **more), by)
        return written

    def row(self, response: Written) -> FormResponse:
        return queries.response(self.by, response.row.pk)

    def view(self, response: Written, by: Principal | None = None, **more: Any) -> dict[str, Any]:
        return queries.viewed(by or self.by, self.row(response), **more)


def verdicts(written: Written) -> list[str]:
    return [each["verdict"] for each in written.verdicts]


def acts(outcomes: list[FormOutcome]) -> dict[str, str]:
    return {one.binding: one.act for one in outcomes}
