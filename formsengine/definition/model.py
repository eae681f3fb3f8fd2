"""The stored form, `form/1`: what a definition holds, checked shape by shape. Rules are text here."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

FORMAT: Literal["form/1"] = "form/1"
DEEPEST_REPEAT = 4

FieldType = Literal[
    "text", "longtext", "integer", "decimal", "quantity", "money", "boolean", "date", "time", "datetime", "range",
    "choice", "choices", "rank", "entity", "row", "email", "phone", "url", "point", "line", "area", "file", "photo",
    "audio", "signature", "consent", "note", "computed", "meta",
]  # fmt: skip
Name = Annotated[str, StringConstraints(pattern=r"^[^\W\d][\w.-]{0,119}$")]
Code = Annotated[str, StringConstraints(min_length=1, max_length=200)]
RuleText = Annotated[str, StringConstraints(min_length=1, max_length=4000)]
Language = Annotated[str, StringConstraints(pattern=r"^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$")]
Texts = dict[Language, str]

CHOOSING = {"choice", "choices", "rank"}
ATTACHED = {"file", "photo", "audio", "signature"}
UNWRITABLE = {"note", "computed", "meta"}


class Part(BaseModel):
    """Unknown keys are refused: a misspelt rule must not silently be no rule."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Constraint(Part):
    """What must hold. A warning may be acknowledged, an error blocks submission; `blames` names the fields."""

    test: RuleText
    message: Texts = Field(default_factory=dict)
    severity: Literal["error", "warning"] = "error"
    blames: tuple[Name, ...] = ()


class Choice(Part):
    """`exclusive`: it cannot stand beside others. `retired`: readable in old answers and no longer offered."""

    code: Code
    uid: str = ""
    label: Texts = Field(default_factory=dict)
    attributes: dict[str, str] = Field(default_factory=dict)
    media: dict[str, Texts] = Field(default_factory=dict)
    exclusive: bool = False
    retired: bool = False


class ChoiceList(Part):
    """`repeated_codes`: the same code may stand under several attributes, as filtered lists sometimes have it.

    `file` names where the choices come from; without them the form is not published.
    """

    name: Name
    choices: tuple[Choice, ...]
    repeated_codes: bool = False
    file: str = ""


class Prefill(Part):
    """Where an answer may come from before anybody is asked. `policy` suggest asks whether it is still so."""

    source: Literal["subject", "related", "context", "previous", "launch"]
    key: str
    policy: Literal["suggest", "fill"] = "suggest"


class Question(Part):
    """A field. Exactly one value a row of the repeats around it, whose type says what it accepts."""

    kind: Literal["field"]
    name: Name
    uid: str = ""
    type: FieldType
    label: Texts = Field(default_factory=dict)
    hint: Texts = Field(default_factory=dict)
    media: dict[str, Texts] = Field(default_factory=dict)
    appearance: str = ""
    parameters: str = ""
    relevant: RuleText | None = None
    required: bool | RuleText = False
    required_message: Texts = Field(default_factory=dict)
    constraints: tuple[Constraint, ...] = ()
    default: RuleText | None = None
    computed: RuleText | None = None
    may_override: bool = False
    recompute_on: tuple[Name, ...] = ()
    prefill: Prefill | None = None
    choices: Name | None = None
    rows_of: Name | None = None
    filter: RuleText | None = None
    other: bool = False
    other_label: Texts = Field(default_factory=dict)
    may_decline: bool = True
    sensitive: bool = False
    write_roles: tuple[str, ...] = ()
    units: tuple[str, ...] = ()
    statement: Texts = Field(default_factory=dict)
    meta: Literal["started", "submitted", "device", "user", ""] = ""

    @property
    def writable(self) -> bool:
        return self.type not in UNWRITABLE and (self.computed is None or self.may_override)


class Section(Part):
    """Fields that share a meaning: when it is not relevant, none of them is."""

    kind: Literal["section"]
    name: Name
    uid: str = ""
    label: Texts = Field(default_factory=dict)
    hint: Texts = Field(default_factory=dict)
    relevant: RuleText | None = None
    checks: tuple[Constraint, ...] = ()
    appearance: str = ""
    items: tuple[Item, ...] = ()


class Repeat(Part):
    """A list of rows. `count` is a target: rows above it are held, never destroyed."""

    kind: Literal["repeat"]
    name: Name
    uid: str = ""
    label: Texts = Field(default_factory=dict)
    hint: Texts = Field(default_factory=dict)
    relevant: RuleText | None = None
    count: RuleText | None = None
    min_rows: int | None = Field(default=None, ge=0, le=1000)
    max_rows: int | None = Field(default=None, ge=1, le=1000)
    row_label: Name | None = None
    checks: tuple[Constraint, ...] = ()
    appearance: str = ""
    items: tuple[Item, ...] = ()


Item = Annotated[Question | Section | Repeat, Field(discriminator="kind")]


class Step(Part):
    """What is asked together and in which order: advice, never a lock. `ask_when` decides only what is proposed."""

    name: Name
    uid: str = ""
    title: Texts = Field(default_factory=dict)
    ask_when: RuleText | None = None
    items: tuple[Item, ...] = ()


class Gate(Part):
    """`hold` waits for a check or an approval and blocks submission meanwhile; `end` makes the response void."""

    name: Name
    kind: Literal["hold", "end"] = "hold"
    when: RuleText
    title: Texts = Field(default_factory=dict)
    reason: str = ""
    owner: str = ""
    due_hours: int | None = Field(default=None, ge=1)
    holds_steps: tuple[Name, ...] = ()


class Hook(Part):
    """What happens outside the form when something happens in it: a registered name, never code."""

    name: Name
    on: Literal["submitted", "accepted", "void", "gate", "field"]
    calls: Name
    of: Name | None = None


class Binding(Part):
    """What submission writes into memory. `data` is for the shell that writes; the engine only keeps it."""

    name: Name
    into: Literal["entity", "property", "relation", "episode", "context", "resource"]
    policy: Literal["append", "supersede", "review"] = "review"
    fields: tuple[Name, ...] = ()
    data: dict[str, Any] = Field(default_factory=dict)


class Unread(Part):
    """What an import did not understand, kept as it was. It blocks publishing until a person drops or rewrites it.

    `item` and `key` say which rule of which item it would have been, where that is known.
    """

    path: str
    text: str
    why: str
    item: str = ""
    key: str = ""


class Form(Part):
    """One version of a form."""

    format: Literal["form/1"] = FORMAT
    id: Name
    version: int = Field(default=1, ge=1)
    title: Texts = Field(default_factory=dict)
    default_language: Language = "en"
    languages: tuple[Language, ...] = ("en",)
    lists: tuple[ChoiceList, ...] = ()
    steps: tuple[Step, ...]
    checks: tuple[Constraint, ...] = ()
    gates: tuple[Gate, ...] = ()
    hooks: tuple[Hook, ...] = ()
    bindings: tuple[Binding, ...] = ()
    unread: tuple[Unread, ...] = ()


Section.model_rebuild()
Repeat.model_rebuild()
Step.model_rebuild()
Form.model_rebuild()


def walk(items: tuple[Item, ...]) -> Iterator[Question | Section | Repeat]:
    """Every item, each before what it holds, in the order of the form."""
    for item in items:
        yield item
        if not isinstance(item, Question):
            yield from walk(item.items)


def everything(form: Form) -> Iterator[Question | Section | Repeat]:
    for step in form.steps:
        yield from walk(step.items)
