"""What must be right before a form is published: nothing here is found out by the first person who fills it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from formsengine.definition.graph import Aspect, Graph, Node, graph
from formsengine.definition.model import CHOOSING, DEEPEST_REPEAT, Form, Question, Repeat
from formsengine.definition.plan import KINDS, OTHER, Plan, Planned, plan
from formsengine.definition.resting import at_rest
from formsengine.expressions.types import WORDED, Kind
from formsengine.problems import Problem, Refused, nearest

WORDS_OF = {Aspect.RELEVANT: "is relevant", Aspect.ROWS: "has rows", Aspect.VALUE: "has its value"}


@at_rest()
def check(form: Form) -> tuple[Plan, list[Problem]]:
    """The plan and every problem: errors refuse publication, warnings are shown."""
    made = plan(form)
    order = graph(made)
    problems = [*made.problems, *_circles(made, order), *_steps(form), *_lists(form), *_references(made)]
    for planned in made.items.values():
        problems.extend(_question(made, planned) if planned.is_field else _container(planned))
    problems.extend(_texts(made))
    problems.extend(Problem(each.path, "not-understood", f"{each.text}: {each.why}", ("drop it", "rewrite it"))
                    for each in form.unread)  # fmt: skip
    return made, problems


def publish(form: Form) -> Plan:
    """The plan of a form that may be published. Raises Refused("unpublishable") with every error."""
    made, problems = check(form)
    errors = [each for each in problems if each.severity == "error"]
    if errors:
        first = errors[0]
        more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
        raise Refused("unpublishable", f"{first.path}: {first.message}{more}", errors)
    return made


def _circles(made: Plan, order: Graph) -> Iterator[Problem]:
    for circle in order.circles:
        names = [_named(made, node) for node in circle.way]
        path = made.items[circle.way[0][1]].path
        turning = " -> ".join([*names, names[0]])
        fields = sorted({made.items[uid].name for _, uid in circle.group})
        message = f"{', '.join(fields)}: a rule waits for its own result ({turning})."
        yield Problem(path, "circle", message, tuple(fields))


def _named(made: Plan, node: Node) -> str:
    aspect, uid = node
    return f"{made.items[uid].name} {WORDS_OF.get(aspect, '')}".strip()


def _steps(form: Form) -> Iterator[Problem]:
    for name, count in Counter(step.name for step in form.steps).items():
        if count > 1:
            yield Problem("steps", "repeated-name", f"Two steps are called {name!r}.")
    if not any(True for step in form.steps for _ in step.items):
        yield Problem("steps", "empty", "The form asks nothing.")
    if form.default_language not in form.languages:
        yield Problem("default_language", "language", f"{form.default_language} is not among the languages.",
                      form.languages)  # fmt: skip


def _lists(form: Form) -> Iterator[Problem]:
    for number, each in enumerate(form.lists):
        path = f"lists/{number}"
        if not each.choices:
            missing = f"The list {each.name} has no choices."
            told = f"The choices of {each.name} come from {each.file}, which was not given."
            yield Problem(path, "empty", told if each.file else missing, (each.file,) if each.file else ())
        repeated = [code for code, count in Counter(choice.code for choice in each.choices).items() if count > 1]
        if repeated and not each.repeated_codes:
            message = f"The list {each.name} has {repeated[0]!r} twice; say `repeated_codes` if filtered."
            yield Problem(path, "repeated-code", message)
    for name, count in Counter(each.name for each in form.lists).items():
        if count > 1:
            yield Problem("lists", "repeated-name", f"Two lists are called {name!r}.")


def _references(made: Plan) -> Iterator[Problem]:
    form, steps = made.form, set(made.steps)
    for number, gate in enumerate(form.gates):
        for name in gate.holds_steps:
            if name not in steps:
                yield _unknown(f"gates/{number}/holds_steps", "step", name, steps)
    fields = {each.name for each in made.fields}
    for number, binding in enumerate(form.bindings):
        for name in binding.fields:
            if name not in fields:
                yield _unknown(f"bindings/{number}/fields", "field", name, fields)
    for planned in made.items.values():
        for constraint, _ in planned.constraints:
            for name in constraint.blames:
                if name not in fields:
                    yield _unknown(planned.path, "field", name, fields)
    for number, (check, _) in enumerate(made.checks):
        for name in check.blames:
            if name not in fields:
                yield _unknown(f"checks/{number}/blames", "field", name, fields)


def _unknown(path: str, what: str, name: str, known: set[str]) -> Problem:
    return Problem(path, f"unknown-{what}", f"There is no {what} {name!r}.", tuple(nearest(name, known)))


def _question(made: Plan, planned: Planned) -> Iterator[Problem]:
    question, path = planned.question, planned.path
    choosing = question.type in CHOOSING
    if choosing and not question.choices:
        yield Problem(f"{path}/choices", "no-choices", f"{question.name} is a {question.type} and needs a list.")
    if question.choices and question.choices not in made.lists:
        yield _unknown(f"{path}/choices", "list", question.choices, set(made.lists))
    if question.filter and not question.choices:
        yield Problem(f"{path}/filter", "no-choices", f"{question.name} filters choices and has none.")
    if question.other and question.choices in made.lists and OTHER in made.lists[question.choices].by_code:
        message = f"{question.name} asks for another answer, and its list has the code {OTHER!r} already."
        yield Problem(f"{path}/other", "repeated-code", message, severity="warning")
    if question.type == "row":
        target = made.by_name.get(question.rows_of or "")
        if target is None or not isinstance(target.item, Repeat):
            repeats = {each.name for each in made.repeats}
            yield _unknown(f"{path}/rows_of", "list of rows", question.rows_of or "", repeats)
    if question.type == "computed" and not question.computed:
        yield Problem(f"{path}/computed", "no-rule", f"{question.name} is computed and has no rule.")
    if question.type == "consent" and not question.statement:
        yield Problem(f"{path}/statement", "no-statement", f"{question.name} asks consent to no text.")
    for name in question.recompute_on:
        if name not in made.by_name:
            yield _unknown(f"{path}/recompute_on", "field", name, set(made.by_name))
    yield from _result(planned)


def _result(planned: Planned) -> Iterator[Problem]:
    """A default or a computed value must be of the field's type."""
    question = planned.question
    wanted = KINDS.get(question.type)
    for key, rule in (("default", planned.default), ("computed", planned.computed)):
        if rule is None or wanted is None or question.type in ("computed", "note", "meta"):
            continue
        given = rule.type.kind
        fits = given in (wanted, Kind.NOTHING) or (wanted in WORDED | {Kind.CODES} and given in WORDED | {Kind.CODES})
        fits = fits or (wanted is Kind.DATE and given is Kind.MOMENT) or given is Kind.TEXT
        if not fits or rule.type.many:
            message = f"{question.name} is {wanted}, its {key} gives {rule.type}."
            yield Problem(f"{planned.path}/{key}", "types", message, (str(wanted),))


def _container(planned: Planned) -> Iterator[Problem]:
    item = planned.item
    if isinstance(item, Repeat):
        if len(planned.rows_of) >= DEEPEST_REPEAT:
            yield Problem(planned.path, "too-deep", f"Rows lie in rows at most {DEEPEST_REPEAT} deep.")
        if item.min_rows is not None and item.max_rows is not None and item.min_rows > item.max_rows:
            yield Problem(f"{planned.path}/min_rows", "limits", f"{item.name}: at least is more than at most.")
        if not item.items:
            yield Problem(planned.path, "empty", f"The rows of {item.name} ask nothing.")


def _texts(made: Plan) -> Iterator[Problem]:
    """Gaps in translations: shown to whoever publishes, and never a blank to whoever fills the form."""
    form = made.form
    yield from _gaps(form, "title", form.title)
    for number, step in enumerate(form.steps):
        yield from _gaps(form, f"steps/{number}/title", step.title)
    for number, gate in enumerate(form.gates):
        yield from _gaps(form, f"gates/{number}/title", gate.title)
    for number, (check, _) in enumerate(made.checks):
        yield from _gaps(form, f"checks/{number}/message", check.message)
    for planned in made.items.values():
        item = planned.item
        yield from _gaps(form, f"{planned.path}/label", item.label, needed=isinstance(item, Question))
        yield from _gaps(form, f"{planned.path}/hint", item.hint)
        if isinstance(item, Question):
            yield from _gaps(form, f"{planned.path}/statement", item.statement)
            yield from _gaps(form, f"{planned.path}/required_message", item.required_message)
            yield from _gaps(form, f"{planned.path}/other_label", item.other_label)
            for kind, texts in item.media.items():
                yield from _gaps(form, f"{planned.path}/media/{kind}", texts)
        for number, (constraint, _) in enumerate(planned.constraints):
            yield from _gaps(form, f"{planned.path}/constraints/{number}/message", constraint.message)
    for number, each in enumerate(form.lists):
        for place, choice in enumerate(each.choices):
            yield from _gaps(form, f"lists/{number}/choices/{place}/label", choice.label, needed=True)


def _gaps(form: Form, path: str, texts: Mapping[str, str], *, needed: bool = False) -> Iterator[Problem]:
    present = {language for language, text in texts.items() if text.strip() not in ("", "-")}
    if not present and not needed:
        return
    missing = tuple(language for language in form.languages if language not in present)
    if missing:
        message = f"There is no text in {', '.join(missing)}."
        yield Problem(path, "untranslated", message, missing, severity="warning")
