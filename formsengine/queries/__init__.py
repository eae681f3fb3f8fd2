"""The reads of the room."""

from formsengine.queries.defined import form, form_called, forms, live, title_of, titles, version
from formsengine.queries.editing import Writing, checked, edits, writing
from formsengine.queries.filled import history, outcomes, response, responses, standing, viewed
from formsengine.queries.loading import loaded, ready
from formsengine.queries.searching import answering, nobody_unknown

__all__ = [
    "Writing",
    "answering",
    "checked",
    "edits",
    "form",
    "form_called",
    "forms",
    "history",
    "live",
    "loaded",
    "nobody_unknown",
    "outcomes",
    "ready",
    "response",
    "responses",
    "standing",
    "title_of",
    "titles",
    "version",
    "viewed",
    "writing",
]
