"""What must hold of stored cases, checked by `manage.py integrity`."""

from collections.abc import Iterator

from django.db.models import Count, F, Max, Q

from memoryapp.ledger import integrity
from memoryapp.ledger.integrity import Check, Finding, about
from memoryapp.ledger.models import Workspace
from memoryapp.review import registry
from memoryapp.review.models import Case


def register() -> None:
    integrity.register(Check("cases", "Cases are as their changes and decisions say", _cases))


def _cases(workspace: Workspace) -> Iterator[Finding]:
    known = [kind.name for kind in registry.kinds()]
    standing = Q(decisions__undoes__isnull=True, decisions__undone_by__isnull=True, decisions__isnull=False)
    cases = Case.objects.filter(workspace=workspace).order_by("pk")
    for case in cases.filter(state=Case.State.OPEN).exclude(kind__in=known):
        yield about(case, f"Nobody can decide it: there is no kind “{case.kind}”.")
    for case in cases.annotate(last=Max("changes__lock")).exclude(last=F("lock")):
        yield about(case, "Its lock is not that of its latest change.")
    counted = cases.annotate(standing=Count("decisions", filter=standing, distinct=True))
    for case in counted.filter(state=Case.State.DECIDED).exclude(standing=1):
        yield about(case, "It is decided without one standing decision.")
    for case in counted.exclude(state=Case.State.DECIDED).exclude(standing=0):
        yield about(case, "A decision stands and yet it is not decided.")
