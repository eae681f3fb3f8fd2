"""Forms and their versions: stored, imported, published, withdrawn. A version never changes once it is stored."""

from __future__ import annotations

import binascii
from base64 import b64decode
from collections.abc import Mapping
from typing import Any

from formsengine import hooks
from formsengine.bindings.declared import wrong_bindings
from formsengine.definition.model import Form as Definition
from formsengine.definition.publish import check
from formsengine.definition.stored import as_data, digest, read
from formsengine.definition.texts import text_in
from formsengine.models import Form, FormVersion, VersionState
from formsengine.problems import Problem
from formsengine.queries import defined as queries
from formsengine.queries.loading import ready
from formsengine.refusals import refused, violations
from formsengine.xlsform.importing import Imported, import_xlsform
from memoryapp.doors.errors import Conflict, Invalid, Violation
from memoryapp.ledger.models import Workspace, Write

LARGEST_FILE = 5_000_000
"""Bytes of a spreadsheet or an XForm that is imported."""


def define(
    write: Write, definition: Mapping[str, Any] | Definition, *, report: Mapping[str, Any] | None = None
) -> FormVersion:
    """Store the next version of the form that the definition names, as a draft. The same as the latest stores nothing.

    A large one takes a moment to read, in which nobody's write should wait: a door reads it before it writes.
    Raises Invalid when it is no `form/1`; whether it can be published is told with it, and asked when it is.
    """
    write.by.require("write_forms")
    with refused():
        form = definition if isinstance(definition, Definition) else read(definition)
    return _store(write, form, report or {})


def read_sheet(content: bytes, *, name: str = "", otherwise: str = "") -> Imported:
    """A form from the bytes of a spreadsheet or an XForm, with the report of what became of it. It is stored nowhere
    yet: a large one takes seconds, in which nobody's write should wait.

    It is called `name`, else as the file says, else `otherwise`, so that no sheet without a name becomes the next
    version of another. The bytes say what they are, never the name of the file. Raises Invalid with the place in the
    file.
    """
    if len(content) > LARGEST_FILE:
        raise Invalid.at("/content", "too_large", "This file is too large.", f"at most {LARGEST_FILE} bytes")
    with refused():
        return import_xlsform(content, id=name, otherwise=otherwise)


def import_sheet(write: Write, found: Imported) -> FormVersion:
    """A form that `read_sheet` gave, as a draft with its report."""
    write.by.require("write_forms")
    return _store(write, found.form, found.report.as_data())


def bytes_of(content: str) -> bytes:
    """The bytes that a text in base64 stands for. Raises Invalid."""
    try:
        return b64decode(content, validate=True)
    except (binascii.Error, ValueError) as error:
        message = "This is not base64."
        raise Invalid.at("/content", "not_base64", message, "the bytes of the file in base64") from error


def _store(write: Write, definition: Definition, report: Mapping[str, Any]) -> FormVersion:
    form = Form.objects.filter(workspace=write.workspace, name=definition.id).first()
    if form is None:
        form = Form.objects.create(
            workspace=write.workspace, name=definition.id, write=write, recorded_at=write.recorded_at
        )
    number = form.lock + 1
    numbered = definition.model_copy(update={"version": number})
    before = form.versions.filter(number=form.lock).first()
    data = as_data(numbered)
    same = before is not None and before.definition | {"version": 0} == data | {"version": 0}
    if before and same and not report and before.state != VersionState.WITHDRAWN:
        return before
    form.lock = number
    form.save(update_fields=["lock"])
    title = text_in(numbered.title, numbered.default_language, numbered.default_language, numbered.id)
    return FormVersion.objects.create(
        workspace=write.workspace,
        form=form,
        number=number,
        title=title[:300],
        definition=data,
        digest=digest(data),
        report=dict(report),
        write=write,
        recorded_at=write.recorded_at,
    )


def problems(version: FormVersion) -> list[Problem]:
    """Everything that keeps a version from being published, and what is only worth a look."""
    return wrong(read(version.definition), version.workspace)


def wrong(definition: Definition, workspace: Workspace) -> list[Problem]:
    """The same of a definition that is stored nowhere yet."""
    found = list(check(definition)[1])
    found += wrong_bindings(definition, workspace)
    for number, hook in enumerate(definition.hooks):
        if hook.calls not in hooks.known():
            found.append(Problem(f"hooks/{number}", "unknown-hook", f"Nothing is called {hook.calls}.", hooks.known()))
    return found


def publish(write: Write, version: FormVersion, *, lock: int | None = None) -> FormVersion:
    """Let responses start under it. Raises Invalid with everything that is wrong, Conflict when a newer one is live.

    What stays a draft under an earlier version moves by itself when nothing but harmless things changed, and is
    offered the move otherwise.
    """
    write.by.require("write_forms")
    form = Form.objects.select_for_update().get(pk=version.form_id)
    version.refresh_from_db()
    if lock is not None and lock != form.lock:
        raise Conflict("The form has another version since.", code="moved", extra={"latest_version": form.lock})
    if version.state == VersionState.LIVE:
        return version
    if version.state == VersionState.WITHDRAWN:
        raise Conflict("It was withdrawn. Store it as a new version.", code="withdrawn")
    newer = queries.live(form)
    if newer is not None and newer.number > version.number:
        raise Conflict(f"Version {newer.number} is live already.", code="newer_is_live")
    if errors := [each for each in problems(version) if each.severity == "error"]:
        told = f"{len(errors)} things keep it from being published." if len(errors) > 1 else errors[0].message
        raise Invalid(
            told,
            code="unpublishable",
            violations=tuple(violations(errors)),
        )
    ready(version)
    version.state, version.published_at = VersionState.LIVE, write.recorded_at
    version.save(update_fields=["state", "published_at"])
    return version


def withdraw(write: Write, version: FormVersion, *, reason: str) -> FormVersion:
    """Let nothing start under it any more. Drafts stay and are offered the version that is live then."""
    write.by.require("write_forms")
    if not reason.strip():
        raise Invalid.all([Violation("/reason", "reason_missing", "Say why.", "one sentence")])
    if version.state == VersionState.DRAFT:
        raise Conflict("It was never published.", code="not_live")
    if version.state == VersionState.LIVE:
        version.state, version.withdrawn_at = VersionState.WITHDRAWN, write.recorded_at
        version.save(update_fields=["state", "withdrawn_at"])
    return version
