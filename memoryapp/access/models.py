"""Members and their roles; agents and their keys."""

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.db.models import Q

from memoryapp.access.paths import LEVELS, PathPolicy, compiled
from memoryapp.ledger.guard import Guard
from memoryapp.ledger.models import Actor, WorkspaceRow, Write


class UnderPaths(models.Model):
    """Whose sight of files is ruled: pairs of a path or pattern and `none`, `read` or `write`; the last that matches
    wins."""

    path_rules = models.JSONField(default=list, blank=True)
    path_default = models.CharField(max_length=5, choices=[(one, one) for one in LEVELS], default="write")

    class Meta:
        abstract = True

    @property
    def paths(self) -> PathPolicy:
        """The policy, compiled."""
        return compiled(tuple((str(path), str(level)) for path, level in self.path_rules), self.path_default)


class User(AbstractUser):
    """An account. What it may do in a workspace is said by its membership there."""

    preferences = models.JSONField(default=dict, blank=True, help_text="Theme, keyboard, saved choices.")

    entered: "list[Membership] | None" = None
    """The present memberships, where they were found together with the account: see `access.sessions`."""


class Membership(UnderPaths, WorkspaceRow):
    """A person's place in a workspace. The actor stays when the membership ends."""

    class Role(models.TextChoices):
        VIEWER = "viewer"
        REVIEWER = "reviewer"
        CURATOR = "curator"
        ADMIN = "admin"

    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="memberships")
    actor = models.OneToOneField(Actor, on_delete=models.PROTECT, related_name="membership")
    role = models.CharField(max_length=10, choices=Role.choices)
    joined_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    guard = Guard(mutable=("role", "ended_at", "path_rules", "path_default"))

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["workspace", "user"], name="membership_once"),
            models.CheckConstraint(
                condition=Q(role__in=["viewer", "reviewer", "curator", "admin"]), name="member_role"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user} as {self.role}"


class Agent(UnderPaths, WorkspaceRow):
    """A program that reads and writes with a key. `surfaces` are the slices of tools it is granted."""

    name = models.CharField(max_length=200)
    actor = models.OneToOneField(Actor, on_delete=models.PROTECT, related_name="agent")
    surfaces = models.JSONField(default=list)
    created_at = models.DateTimeField(auto_now_add=True)
    retired_at = models.DateTimeField(null=True, blank=True)

    guard = Guard(mutable=("name", "surfaces", "retired_at", "path_rules", "path_default"))

    class Meta:
        constraints = [models.UniqueConstraint(fields=["workspace", "name"], name="agent_name_once")]

    def __str__(self) -> str:
        return self.name


class AgentKey(WorkspaceRow):
    """A key of an agent: the prefix is for recognition, only a keyed digest of the secret is stored."""

    agent = models.ForeignKey(Agent, on_delete=models.PROTECT, related_name="keys")
    prefix = models.CharField(max_length=16, unique=True)
    digest = models.CharField(max_length=64)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)

    guard = Guard(mutable=("expires_at", "revoked_at", "last_used_at"))

    def __str__(self) -> str:
        return self.prefix


class AccessChange(WorkspaceRow):
    """One change to who may do what: a member joined, a role changed, an agent or key was made, replaced or ended."""

    write = models.ForeignKey(Write, on_delete=models.PROTECT, related_name="access_changes")
    membership = models.ForeignKey(Membership, null=True, blank=True, on_delete=models.PROTECT, related_name="changes")
    agent = models.ForeignKey(Agent, null=True, blank=True, on_delete=models.PROTECT, related_name="changes")
    key = models.ForeignKey(AgentKey, null=True, blank=True, on_delete=models.PROTECT, related_name="changes")
    before = models.JSONField(default=dict, help_text="What stood before, of the fields that changed.")
    after = models.JSONField(default=dict, help_text="What stands now, of the same fields.")

    guard = Guard(erasable=("before", "after"))

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(membership__isnull=False) | Q(agent__isnull=False) | Q(key__isnull=False),
                name="access_change_names_its_subject",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.before} -> {self.after}"


class Refusal(WorkspaceRow):
    """How often an agent was refused one thing for one reason on one day (UTC). Never what it sent."""

    actor = models.ForeignKey(Actor, on_delete=models.PROTECT, related_name="+")
    day = models.DateField()
    action = models.CharField(max_length=60)
    code = models.CharField(max_length=60)
    times = models.PositiveIntegerField(default=0)
    last_at = models.DateTimeField()

    guard = Guard(mutable=("times", "last_at"))

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["workspace", "actor", "day", "action", "code"], name="refusal_once_a_day"),
        ]

    def __str__(self) -> str:
        return f"{self.action} {self.code}"


class SavedView(WorkspaceRow):
    """A list as a member wants to see it again: what was looked for in it and in which order, under a name.

    `place` says which list, `query` is that part of its address. A shared one is offered to every member.
    """

    place = models.CharField(max_length=30)
    name = models.CharField(max_length=60)
    query = models.CharField(max_length=500, blank=True)
    shared = models.BooleanField(default=False)
    owner = models.ForeignKey(Actor, on_delete=models.PROTECT, related_name="+")
    write = models.ForeignKey(Write, on_delete=models.PROTECT, related_name="+")

    guard = Guard(mutable=("query", "shared"), erasable=("name", "query"), deletable=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["workspace", "owner", "place", "name"], name="saved_view_once"),
            models.CheckConstraint(condition=~Q(name=""), name="saved_view_has_name"),
        ]

    def __str__(self) -> str:
        return self.name


class Tally(models.Model):
    """How often something happened until a time, for all web processes; see `counting`. Of no workspace."""

    name = models.CharField(max_length=120, primary_key=True)
    used = models.PositiveIntegerField(default=0)
    until = models.DateTimeField(db_index=True)

    class Meta:
        verbose_name_plural = "tallies"

    def __str__(self) -> str:
        return f"{self.used} until {self.until:%H:%M}"
