"""What a form may call outside itself, by registered name. A form names a hook; it never carries code."""

from __future__ import annotations

from collections.abc import Callable

from formsengine.models import FormNotice
from memoryapp.ledger import jobs
from memoryapp.ledger.models import Write
from memoryapp.ledger.services import record

Called = Callable[[FormNotice], None]

_called: dict[str, Called] = {}


def register(name: str, called: Called) -> None:
    """`called(notice)` runs outside any transaction until it returns: it may be called more than once for a notice."""
    _called[name] = called


def known() -> tuple[str, ...]:
    """Names that a form may call."""
    return tuple(sorted(_called))


def deliver(run: jobs.Run) -> None:
    """Tell whoever is named in the notice; tried again until it was taken."""
    from formsengine.services.notices import taken

    notice = FormNotice.objects.select_related("response").get(pk=run.job.subject_id)
    called = _called.get(notice.calls)
    if called is None:
        raise jobs.Failed(f"Nothing here is called {notice.calls}.")
    called(notice)

    def note(write: Write) -> None:
        taken(write, notice)
        run.finish({"notice": str(notice.pk)})

    record(run.by, "deliver_notice", note)
