"""Every room has the same plan, so that who knows one knows all."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from django.apps import apps
from django.contrib import admin
from django.test import Client
from django.urls import reverse

from memoryapp.ledger.models import WorkspaceRow

ROOT = Path(__file__).resolve().parents[2]
PLACES = {
    config.label: Path(config.path)
    for config in apps.get_app_configs()
    if config.name.startswith(("memoryapp.", "formsengine"))
}
ROOMS = sorted(PLACES)
WITH_TABLES = [room for room in ROOMS if any(True for _ in apps.get_app_config(room).get_models())]
PYTHON = sorted(
    path
    for part in ("memoryapp", "formsengine")
    for path in (ROOT / part).rglob("*.py")
    if "migrations" not in path.parts and path.stat().st_size
)
MOST_LINES = 400
A_SCREEN = 60
NO_PLACE_FOR_THINGS = re.compile(r"(utils?|helpers?|common|misc|managers?|base)\.py")
WRITES = re.compile(
    r"\.(save|delete|bulk_create|bulk_update|update_or_create|get_or_create)\(|\.objects\.(create|update)\("
)


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("room", WITH_TABLES)
def test_a_room_with_tables_writes_in_services_and_reads_in_queries(room: str) -> None:
    place = PLACES[room]
    for drawer in ("services", "queries"):
        assert (place / f"{drawer}.py").exists() or (place / drawer).is_dir(), f"{room} has no {drawer}"


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_says_what_it_is_for_and_has_tests(room: str) -> None:
    text = (PLACES[room] / "__init__.py").read_text(encoding="utf-8")
    assert ast.get_docstring(ast.parse(text)), f"{room} says nothing of itself"
    assert list((ROOT / "tests" / room).rglob("test_*.py")), f"tests/{room} has no test"


@pytest.mark.parametrize("room", WITH_TABLES)
def test_operators_can_look_at_every_table_and_change_none(room: str, admin_client: Client) -> None:
    """Each is listed and searched by id and word; adding is refused, and nothing is offered to be changed."""
    for model in apps.get_app_config(room).get_models():
        if not issubclass(model, WorkspaceRow):
            continue
        assert admin.site.is_registered(model), f"{model.__name__} cannot be looked at"
        shown = admin.site.get_model_admin(model)
        assert not shown.has_add_permission(None)  # type: ignore[arg-type]
        assert not shown.has_change_permission(None)  # type: ignore[arg-type]
        assert not shown.has_delete_permission(None)  # type: ignore[arg-type]
        address = reverse(f"admin:{room}_{model._meta.model_name}_changelist")
        found = admin_client.get(address, {"q": "harbour"})
        assert (found.status_code, bool(shown.search_fields)) == (200, True), address
        assert admin_client.post(f"{address}add/").status_code == 403


def test_a_door_parses_and_shows_but_never_writes_a_row() -> None:
    doors = [path for path in PYTHON if path.name in ("api.py", "pages.py", "urls.py", "admin.py", "cases.py")]
    assert doors
    writing = [named(path) for path in doors if WRITES.search(path.read_text(encoding="utf-8"))]
    assert writing == []


def test_a_thing_lives_in_the_room_whose_word_it_is() -> None:
    assert [named(path) for path in PYTHON if NO_PLACE_FOR_THINGS.fullmatch(path.name)] == []


def test_a_drawer_fits_in_a_head_and_a_function_on_a_screen() -> None:
    styles_and_scripts = [
        path for path in (ROOT / "static").rglob("*.*") if path.suffix in (".css", ".js") and "vendor" not in path.parts
    ]
    long_files = [
        named(path)
        for path in [*PYTHON, *styles_and_scripts]
        if len(path.read_text(encoding="utf-8").splitlines()) > MOST_LINES
    ]
    long_functions = [
        f"{named(path)} {node.name}"
        for path in PYTHON
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno
        if node.end_lineno - node.lineno > A_SCREEN
    ]
    assert (long_files, long_functions) == ([], [])


def test_every_module_says_what_it_holds() -> None:
    silent = [
        named(path)
        for path in PYTHON
        if not ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) and path.name != "apps.py"
    ]
    assert silent == []
