"""What an empty installation is given: a workspace, an administrator, an agent with its key, a demonstration.

Every step looks for what it would make, so that a first start that was cut short is completed by the next, and an
installation that already has a workspace of its own is left alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from django.db import transaction

from memoryapp.access import services as access
from memoryapp.access.models import Agent, Membership, User
from memoryapp.console import demonstration as demonstrating
from memoryapp.ledger.models import Workspace, Write
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.ontology.services import found_workspace

WORKSPACE = "harbour"
ADMINISTRATOR = "admin"
AGENT = "Desk"
SURFACES = ("lookup", "recall", "curate", "context", "forms", "propose")
TRACE = demonstrating.TRACE


@dataclass
class FirstRun:
    """What was made just now. A password and a key are here once and nowhere else."""

    workspace: Workspace | None = None
    made: list[str] = field(default_factory=list)
    username: str = ""
    password: str = ""
    key: str = ""


def prepare(*, demonstration: bool = True) -> FirstRun:
    """Complete the first-run data, unless the installation has another workspace already. Safe to call every time."""
    found = FirstRun()
    if Workspace.objects.exclude(slug=WORKSPACE).exists() and not Workspace.objects.filter(slug=WORKSPACE).exists():
        return found
    workspace = Workspace.objects.filter(slug=WORKSPACE).first()
    if workspace is not None and workspace.settings.get("first_run") != "begun":
        return FirstRun(workspace=workspace)
    if workspace is None:
        workspace = _make_workspace(found)
    found.workspace = workspace
    operator = access.operator(workspace, trace_id=TRACE)
    if not Membership.objects.filter(workspace=workspace).exists():
        _make_administrator(operator, found)
    agent = Agent.objects.filter(workspace=workspace, name=AGENT).first()
    if agent is None or not agent.keys.exists():
        agent = _make_agent(operator, agent, found)
    if demonstration:
        demonstrating.tell(workspace, agent)
        found.made.append("demonstration")
    Workspace.objects.filter(pk=workspace.pk).update(settings=workspace.settings | {"first_run": "done"})
    return found


def _make_workspace(found: FirstRun) -> Workspace:
    with transaction.atomic():
        workspace = found_workspace(WORKSPACE, WORKSPACE.capitalize(), "Europe/Lisbon")
        workspace.settings = {"first_run": "begun"}
        workspace.save(update_fields=["settings"])
    found.made.append("workspace")
    return workspace


def _make_administrator(operator: Principal, found: FirstRun) -> None:
    password = access.new_password()

    def act(write: Write) -> None:
        user = User.objects.filter(username=ADMINISTRATOR).first()
        if user is None:
            user = access.create_account(username=ADMINISTRATOR, password=password, operator_account=True)
            found.password = password
        access.create_member(write, user=user, role=Membership.Role.ADMIN, name="Administrator")

    record(operator, "create_member", act, rationale="First start")
    found.username = ADMINISTRATOR
    found.made.append("administrator")


def _make_agent(operator: Principal, agent: Agent | None, found: FirstRun) -> Agent:
    def act(write: Write) -> tuple[Agent, str]:
        made = agent or access.create_agent(write, name=AGENT, surfaces=SURFACES)
        return made, access.issue_key(write, agent=made).text

    made, found.key = record(operator, "create_agent", act, rationale="First start")
    found.made.append("agent")
    return made
