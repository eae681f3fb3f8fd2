"""What every room's tests stand on: workspaces, the people and agents in them, real processes and a real browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management.color import no_style
from django.db import connection
from django.test import TransactionTestCase
from hypothesis import HealthCheck, settings

from memoryapp.ledger.models import Workspace
from memoryapp.ledger.principal import Principal
from tests.browser import Browser, open_browser
from tests.house.running import Running
from tests.kept_schema import copy_schemas, copy_to, empty

settings.register_profile(
    "whatever the machine does beside",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("whatever the machine does beside")

TESTS = Path(__file__).parent
KEPT_TABLES = {"django_migrations", "django_content_type", "auth_permission"}
"""What migrating filled: the same for every test."""


def _empty_the_database(self: TransactionTestCase) -> None:
    """SQLite would delete, which the triggers refuse; PostgreSQL truncates, which they let through."""
    if connection.vendor == "sqlite":
        connection.ensure_connection()
        empty(connection.connection)
        return
    tables = sorted(set(connection.introspection.django_table_names(only_existing=True)) - KEPT_TABLES)
    connection.ops.execute_sql_flush(connection.ops.sql_flush(no_style(), tables))


TransactionTestCase._fixture_teardown = _empty_the_database  # type: ignore[attr-defined]
copy_schemas()


DATABASE_FIXTURES = {"db", "transactional_db", "live_server"}
PLAIN = {"access", "api", "console", "context", "doors", "extraction", "forms", "house", "mcp", "sources"}
"""Where tests are of words, rules, addresses and pages: what proves something of the database is marked there."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What uses the database proves something of it, and runs again on every database the suite is given: in the rooms
    of the memory everything, elsewhere what is marked: the walks over every page and address, and races."""
    for item in items:
        used = set(getattr(item, "fixturenames", ()))
        of_a_room = item.path.relative_to(TESTS).parts[0] not in PLAIN
        if of_a_room and (used & DATABASE_FIXTURES or item.get_closest_marker("django_db")):
            item.add_marker("sql")
        if used & {"browser", "chromium"}:
            item.add_marker("browser")
        if used & {"running", "empty_database"}:
            item.add_marker("slow")


@pytest.fixture
def own_files(tmp_path: Path, settings: Any) -> Path:
    """Files of the product in a directory of the test's own, where nothing of other tests lies."""
    settings.VAR_DIR = tmp_path / "var"
    settings.VAR_DIR.mkdir()
    return tmp_path / "var"


@pytest.fixture
def workspace(db: None) -> Workspace:
    return _workspace("harbour", "Harbour", "Europe/Lisbon")


@pytest.fixture
def other_workspace(db: None) -> Workspace:
    return _workspace("lighthouse", "Lighthouse")


@pytest.fixture
def operator(workspace: Workspace) -> Principal:
    """Whoever runs commands on the machine: may do everything in the workspace."""
    from memoryapp.access.services import operator

    return operator(workspace)


@pytest.fixture
def person(db: None) -> Callable[..., Principal]:
    """`person(workspace, "reviewer", "Nadia")`: a member of the workspace with a role, as the console knows them."""
    return _member


@pytest.fixture
def agent(db: None) -> Callable[..., Principal]:
    """`agent(workspace, ["curate"])`: an agent of the workspace with the surfaces it is granted."""
    return _agent


@pytest.fixture
def reviewer(workspace: Workspace) -> Principal:
    return _member(workspace, "reviewer")


@pytest.fixture
def viewer(workspace: Workspace) -> Principal:
    return _member(workspace, "viewer")


@pytest.fixture
def administrator(workspace: Workspace) -> Principal:
    return _member(workspace, "admin")


@pytest.fixture
def curator_agent(workspace: Workspace) -> Principal:
    """An agent that tells, remembers and recalls."""
    return _agent(workspace, ["lookup", "recall", "curate"], "Curator")


@pytest.fixture
def reader_agent(workspace: Workspace) -> Principal:
    """An agent that only looks up and recalls."""
    return _agent(workspace, ["lookup", "recall"], "Reader")


@pytest.fixture
def work() -> Callable[[], int]:
    """Run every job that is due, in this process, until none is. Says how many ran. For tests of rooms."""
    return _work


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """One real browser for the session."""
    with open_browser() as browser:
        yield browser


@pytest.fixture
def browser(chromium: Any) -> Iterator[Browser]:
    """`browser.page(width=390, theme="dark", ...)`: pages that remember every CSP violation and script error."""
    opened = Browser(chromium)
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def empty_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An SQLite file with every table and nothing in them, to copy for tests that run processes of their own."""
    directory = tmp_path_factory.mktemp("empty")
    made = Running(directory)
    if not copy_to(made.database):
        made.command("migrate", "--verbosity", "0", DEBUG="1")
    return made.database


@pytest.fixture
def running(tmp_path: Any) -> Iterator[Running]:
    """The whole product, with its own tables, made already, and broker: `running.start()` is `manage.py up`."""
    product = Running(tmp_path)
    copy_to(product.database)
    yield product
    product.stop()


def _workspace(slug: str, name: str, time_zone: str = "UTC") -> Workspace:
    """A workspace that has started with the default types."""
    from memoryapp.access.services import operator
    from memoryapp.ledger.services import create_workspace, record
    from memoryapp.ontology.services import start

    made = create_workspace(slug, name, time_zone)
    record(operator(made), "declare", start)
    return made


def _member(workspace: Workspace, role: str, name: str = "") -> Principal:
    from memoryapp.access import services
    from memoryapp.access.models import User
    from memoryapp.ledger.services import record

    username = (name or role).lower().replace(" ", "-")
    user = User.objects.filter(username=username).first()
    if user is None:
        user = User.objects.create_user(username, password="a long enough password")
    if not user.memberships.filter(workspace=workspace).exists():
        record(
            services.operator(workspace),
            "create_member",
            lambda write: services.create_member(write, user=user, role=role, name=name or role.capitalize()),
        )
    return services.principal_for_member(user, workspace.slug)


def _agent(workspace: Workspace, surfaces: list[str], name: str = "Desk") -> Principal:
    from memoryapp.access import capabilities, services
    from memoryapp.ledger.services import record

    made = record(
        services.operator(workspace),
        "create_agent",
        lambda write: services.create_agent(write, name=name, surfaces=surfaces),
    )
    return Principal(
        workspace=workspace,
        actor=made.actor,
        channel="rest",
        capabilities=capabilities.of_surfaces(surfaces),
        trace_id="test",
    )


def _work() -> int:
    from django.utils import timezone

    from memoryapp.ledger import workers
    from memoryapp.ledger.models import Job

    ran = 0
    while due := list(
        Job.objects.filter(state=Job.State.QUEUED, run_after__lte=timezone.now()).values_list("pk", flat=True)
    ):
        ran += sum(workers.run(job_id, "worker@test") for job_id in due)
    return ran
