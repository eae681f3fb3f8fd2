"""The declared kinds of source: what may be told, what each must have, and which stored sources are of one.

The kinds themselves are the memory's own, as is what each cannot be without. A declaration says which of them may be
told, what they are called, and what else each must have.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from django.db.models import Exists, OuterRef
from django.db.models.functions import Left

from memoryapp.doors.errors import NotFound, Violation
from memoryapp.ledger.models import Workspace
from memoryapp.ledger.principal import Principal
from memoryapp.ontology import rules, usage
from memoryapp.ontology.compiled.declared import undeclared
from memoryapp.ontology.document import SourceKind
from memoryapp.ontology.queries import current_ontology
from memoryapp.ontology.rules import RequiredRule, Row, Rule
from memoryapp.ontology.usage import Part
from memoryapp.sources import declared
from memoryapp.sources.declared import Drafted
from memoryapp.sources.models import Source
from memoryapp.sources.queries import withdrawn

OWN = frozenset((Source.Kind.FORM_ANSWER,))
"""What the forms store by themselves, whatever is declared."""
LONGEST = 80


def register() -> None:
    declared.register(violations)
    usage.register(count)
    rules.register(breaks)


def violations(workspace: Workspace, drafted: Sequence[Drafted]) -> list[Violation]:
    """What is wrong with sources by the declared kinds; nothing where none are declared."""
    try:
        kinds = current_ontology(workspace).document.source_kinds
    except NotFound:
        return []
    return [violation for one in drafted if kinds and one.source.kind not in OWN for violation in _wrong(kinds, one)]


def _wrong(kinds: Mapping[str, SourceKind], one: Drafted) -> Iterator[Violation]:
    kind = kinds.get(one.source.kind)
    if kind is None or kind.abstract:
        told = {name: it for name, it in kinds.items() if not it.abstract}
        found = undeclared(told, one.source.kind, f"{one.path}/kind", "kind of source", "undeclared_source_kind")
        yield Violation(found.path, found.code, found.message, found.accepted, one.row)
        return
    for field in kind.requires:
        if not getattr(one.source, field):
            message = f"A {one.source.kind} needs a {field.replace('_', ' ')} here."
            yield Violation(f"{one.path}/{field}", "required", message, f"its {field.replace('_', ' ')}", one.row)


def count(workspace: Workspace, part: Part) -> int:
    """How many stored sources are of a kind."""
    if part.family != "source_kinds":
        return 0
    return Source.objects.filter(workspace=workspace, kind__in=part.types).count()


def breaks(by: Principal, rule: Rule) -> Iterator[Row]:
    """Sources that stand and lack what is required of their kind."""
    if rule.family != "source_kinds" or not isinstance(rule, RequiredRule):
        return
    column = Source._meta.get_field(rule.name)
    empty = {f"{rule.name}__isnull": True} if column.is_relation else {rule.name: ""}
    found = Source.objects.filter(workspace=by.workspace, kind__in=rule.types, **empty)
    found = found.exclude(pk__in=withdrawn(by.workspace.pk)).order_by("pk")
    in_sight = Exists(Source.objects.visible_to(by).filter(pk=OuterRef("pk")))
    rows = found.annotate(beginning=Left("content", LONGEST), in_sight=in_sight)
    for pk, title, beginning, seen in rows.values_list("pk", "title", "beginning", "in_sight").iterator():
        yield Row("source", pk, (title or beginning)[:LONGEST] if seen else "")
