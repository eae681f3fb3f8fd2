"""An injury intake: sixty questions that a caller answers in whatever order the story comes, with a checkpoint.

Somebody has to look before it is submitted when a fracture is likely; who is under age answers with a guardian; whoever
does not consent ends it.
"""

from __future__ import annotations

from formsengine.definition.builder import FormBuilder, must
from formsengine.definition.model import Form
from formsengine.definition.rules import OWN, Says, count

BODY = {
    "head": "Head",
    "neck": "Neck",
    "shoulder": "Shoulder",
    "arm": "Arm",
    "hand": "Hand",
    "chest": "Chest",
    "back": "Back",
    "hip": "Hip",
    "leg": "Leg",
    "knee": "Knee",
    "ankle": "Ankle",
    "foot": "Foot",
}
SIDES = {"left": "Left", "right": "Right", "both": "Both"}
CAUSES = {
    "fall": "A fall",
    "traffic": "Traffic",
    "sport": "Sport",
    "lifting": "Lifting",
    "machine": "A machine or a tool",
    "violence": "Somebody hurt me",
}
SIGNS = {
    "swelling": "Swelling",
    "bruise": "A bruise",
    "wound": "An open wound",
    "numb": "Numbness",
    "deformed": "It looks out of shape",
    "no_weight": "It cannot carry weight",
}


def injury_intake() -> Form:
    """The form, as it is stored."""
    form = FormBuilder("injury_intake", "Injury intake")
    _person(form)
    injured_on = _accident(form)
    _injury(form, injured_on)
    _care(form)
    _work(form)
    _help(form)
    _end(form)
    _memory(form)
    return form.compile()


def _person(form: FormBuilder) -> None:
    with form.step("person", "Who is hurt"):
        form.asked("name", "Whole name", required=True, prefill={"source": "subject", "key": "name", "policy": "fill"})
        form.date("born", "Born", required=True, prefill={"source": "subject", "key": "birthday"})
        minor = form.boolean("minor", "Are they under 18?", required=True)
        with form.section("guardian", "Guardian", relevant=minor):
            form.asked("guardian_name", "Name of a parent or guardian", required=True)
            form.ask("phone", "guardian_phone", "Their telephone")
            form.boolean("guardian_present", "Are they with you now?")
        form.ask("phone", "phone", "Telephone", prefill={"source": "subject", "key": "phone"})
        form.ask("email", "email", "Email", prefill={"source": "subject", "key": "email"})
        form.asked("address", "Address", sensitive=True, prefill={"source": "subject", "key": "address"})
        form.asked("language", "Language you are most at ease in", prefill={"source": "subject", "key": "language"})
        form.asked("pronouns", "Pronouns", prefill={"source": "subject", "key": "pronouns"})
        form.boolean("caller_is_hurt", "Are you the one who is hurt?")


def _accident(form: FormBuilder) -> Says:
    causes = form.choices("causes", CAUSES)
    with form.step("accident", "What happened"):
        injured_on = form.date(
            "injured_on",
            "When did it happen?",
            required=True,
            hint="As exactly as you know: 2026-05-12, 2026-05 or 2026.",
            constraints=[must("${injured_on} <= today()", "This is still to come.")],
        )
        form.ask("time", "injured_at", "At what time?")
        form.asked("place", "Where were you?")
        cause = form.choice("cause", causes, "What caused it?", required=True, other=True)
        form.boolean("helmet", "Did you wear a helmet?", relevant=cause == "traffic")
        form.asked("vehicle", "Which vehicles were there?", relevant=cause == "traffic")
        form.asked("sport", "Which sport?", relevant=cause == "sport")
        form.decimal("height", "From how high, in metres?", relevant=cause == "fall")
        form.asked("machine", "Which machine or tool?", relevant=cause == "machine")
        form.boolean("safe_now", "Are you safe where you are now?", relevant=cause == "violence", required=True)
        form.boolean("police", "Do the police know?", relevant=(cause == "violence") | (cause == "traffic"))
        form.ask("longtext", "story", "Tell it in your own words.")
        with form.repeat("witnesses", "Witnesses", row_label="witness"):
            form.asked("witness", "Name")
            form.asked("witness_contact", "How to reach them")
    return injured_on


def _injury(form: FormBuilder, injured_on: Says) -> None:
    body, sides, signs = form.choices("body", BODY), form.choices("sides", SIDES), form.choices("signs", SIGNS)
    with form.step("injury", "What is hurt"):
        with form.repeat("injuries", "Injuries", min_rows=1, row_label="part"):
            part = form.choice("part", body, "Which part?", required=True)
            form.choice(
                "side", sides, "Which side?", relevant=~((part == "head") | (part == "neck") | (part == "back"))
            )
            found = form.several("found", signs, "What do you see or feel?")
            form.integer(
                "pain", "How much does it hurt, from 0 to 10?", constraints=[must((OWN >= 0) & (OWN <= 10), "0 to 10")]
            )
            form.boolean("bleeding", "Does it still bleed?", relevant=found.has("wound"))
            form.boolean("tetanus", "A tetanus shot in the last ten years?", relevant=found.has("wound"))
            form.boolean("moves", "Can you move it?")
        form.computed("how_many", count("${injuries}"), "Injuries named")
        form.computed("worst", Says("max(${pain})"), "The worst pain")
        form.boolean("fracture", "Does anything look or feel broken?", required=True)
        unconscious = form.boolean("unconscious", "Were you unconscious, even for a moment?", required=True)
        form.integer("unconscious_minutes", "For how many minutes?", relevant=unconscious)
        form.boolean("vomited", "Have you vomited since?", relevant=unconscious)


def _care(form: FormBuilder) -> None:
    with form.step("care", "Care so far"):
        seen = form.boolean("seen", "Has a doctor seen it?", required=True)
        with form.section("seen_by", "Who saw it", relevant=seen):
            form.date("seen_on", "When?")
            form.asked("clinic", "Which practice or hospital?")
            form.boolean("x_ray", "Was an X-ray made?")
            form.asked("diagnosis", "What did they say it is?", sensitive=True)
        takes = form.boolean("takes_medicine", "Do you take any medicine?")
        with form.repeat("medicines", "Medicines", relevant=takes, row_label="medicine"):
            form.asked("medicine", "Name", required=True)
            form.ask("quantity", "dose", "Dose", units=["mg", "ml", "drops"])
        form.boolean("thins_blood", "Does any of it thin the blood?", relevant=takes)
        allergic = form.boolean("allergic", "Are you allergic to anything?")
        form.asked("allergies", "To what?", relevant=allergic, required=True)
        form.boolean("pregnant", "Is a pregnancy possible?", sensitive=True)
        form.ask("longtext", "earlier", "Earlier injuries of the same part")


def _work(form: FormBuilder) -> None:
    with form.step("work", "Work and insurance"):
        works = form.boolean("works", "Are you employed?")
        form.asked("employer", "Where?", relevant=works, prefill={"source": "related", "key": "worksAt"})
        form.asked("job", "As what?", relevant=works)
        at_work = form.boolean("at_work", "Did it happen at work or on the way?", relevant=works)
        form.boolean("reported", "Does the employer know?", relevant=at_work)
        off = form.boolean("off_work", "Are you off work for it?", relevant=works)
        form.date("off_until", "Until when?", relevant=off)
        form.asked("insurer", "Who insures you?")
        form.asked("policy", "Number of the policy", sensitive=True)


def _help(form: FormBuilder) -> None:
    with form.step("help", "Help at home"):
        alone = form.boolean("alone", "Do you live alone?")
        form.boolean("stairs", "Are there stairs?")
        form.asked("helper", "Who can help?", relevant=~alone)
        form.asked("helper_phone", "How to reach them?", relevant=~alone)
        form.boolean("transport", "Do you need to be driven?")


def _end(form: FormBuilder) -> None:
    with form.step("end", "Before it is sent"):
        form.ask(
            "consent",
            "agreed",
            "May we keep this?",
            required=True,
            may_decline=False,
            statement="We keep what you told us to arrange your care, and show it to nobody else.",
        )
        form.boolean("withdraws", "Do you want to stop here and have nothing kept?")
        form.ask("longtext", "anything_else", "Is there anything else we should know?")
    form.gate(
        "fracture_seen",
        "${fracture} or ${unconscious}",
        title="A nurse looks at it before it is sent",
        owner="reviewer",
        due_hours=4,
    )
    form.gate("withdrawn", "${withdraws}", kind="end", reason="They did not want it kept.")


def _memory(form: FormBuilder) -> None:
    said = {"born": "birthday", "address": "address", "language": "language", "pronouns": "pronouns"}
    for field, name in said.items():
        form.bind(field, "property", [field], data={"of": "subject", "property": name})
    form.bind("employer", "entity", ["employer"], data={"class": "organization", "properties": {"name": "employer"}})
    form.bind(
        "works",
        "relation",
        ["employer"],
        data={"of": "subject", "relationship": "worksAt", "to": "employer"},
    )
    form.bind(
        "injured",
        "episode",
        ["injured_on"],
        data={
            "kind": "event",
            "when": "injured_on",
            "text": "Injured: {cause}. {story}",
            "participants": [{"node": "subject"}],
        },
    )
