"""The operators' site: everything stored can be looked at and searched; a memory is changed through its services alone.

Each room's admin.py registers its tables with `register_room`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.apps import apps
from django.contrib import admin
from django.db import models
from django.http import HttpRequest

from memoryapp.ledger.models import Worker, Workspace, WorkspaceRow

if TYPE_CHECKING:
    _Base = admin.ModelAdmin[Any]
else:
    _Base = admin.ModelAdmin

SHOWN = 7
"""Columns in a list: more than this is read on the row's own page."""


class ReadOnlyAdmin(_Base):
    """A table that is looked at. Nobody, whatever their rights, adds, changes or deletes a row of it here."""

    actions = None
    list_per_page = 50
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


def register_room(label: str) -> None:
    """Show every table of a room's memory."""
    for model in apps.get_app_config(label).get_models():
        if issubclass(model, WorkspaceRow) and not admin.site.is_registered(model):
            admin.site.register(model, _admin_of(model))


def _admin_of(model: type[models.Model]) -> type[ReadOnlyAdmin]:
    columns = list(model._meta.concrete_fields)
    short = [column.name for column in columns if _is_short(column)]
    chosen = [column.name for column in columns if column.choices] + (["workspace"] if _has(model, "workspace") else [])
    words = [column.name for column in columns if isinstance(column, models.CharField | models.TextField)]
    return type(
        f"{model.__name__}Admin",
        (ReadOnlyAdmin,),
        {
            "list_display": ("__str__", *short[:SHOWN]),
            "list_filter": tuple(chosen),
            "list_select_related": [
                name for name in short if isinstance(model._meta.get_field(name), models.ForeignKey)
            ],
            "search_fields": ("id", *words) if _has(model, "id") else tuple(words),
            "search_help_text": "Any id or word of this table",
            "ordering": ("-pk",),
        },
    )


def _is_short(column: models.Field[Any, Any]) -> bool:
    if isinstance(column, models.TextField | models.JSONField | models.UUIDField | models.BinaryField):
        return False
    return getattr(column, "max_length", None) is None or (column.max_length or 0) <= 100


def _has(model: type[models.Model], name: str) -> bool:
    return any(column.name == name for column in model._meta.concrete_fields)


admin.site.site_header = "Commonplace"
admin.site.site_title = "Commonplace"
admin.site.index_title = "Everything stored, to look at"
register_room("ledger")
for table in (Workspace, Worker):
    admin.site.register(table, _admin_of(table))
