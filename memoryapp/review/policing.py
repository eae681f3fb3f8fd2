"""Every write about policies: their rules put in force, and what they settled looked at by people."""

from __future__ import annotations

import hashlib
import json
import uuid
from typing import Any

from memoryapp.doors.errors import Conflict, Invalid, NotFound, Stale
from memoryapp.ledger.models import Workspace, Write
from memoryapp.review import policies, queries
from memoryapp.review.models import Audit, Decision, PolicyEdition


def put_in_force(write: Write, *, setting: str, document: Any, seen: str = "") -> PolicyEdition:
    """From now on the workspace is run by these rules. An empty list goes back to the default. Earlier decisions stand.

    `seen` is the mark of the rules that the writer had before them. Raises Stale when others are in force since,
    Invalid that names each place that cannot be read, and NotFound for a policy that nobody registered.
    """
    write.by.require("manage_settings")
    policy = policies.policy_named(setting)
    if policy is None:
        raise NotFound("There is no such policy.", code="no_such_policy")
    if not isinstance(document, list):
        raise Invalid.at(f"/{setting}", "wrong_type", "A policy is a list of rules.", "a list of objects")
    policy.read(document)
    settings = Workspace.objects.values_list("settings", flat=True).get(pk=write.workspace_id)
    if seen and seen != mark_of(settings.get(setting, [])):
        raise Stale("Somebody put other rules in force after what you saw.", code="stale")
    Workspace.objects.filter(pk=write.workspace_id).update(settings={**settings, setting: document})
    return PolicyEdition.objects.create(
        workspace=write.workspace, setting=setting, document=document, write=write, recorded_at=write.recorded_at
    )


def mark_of(document: Any) -> str:
    """What these rules are known by."""
    return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()


def agree(write: Write, decision_id: uuid.UUID) -> Audit:
    """Say that one looked at what policy settled and would have decided the same. Once is enough for everybody."""
    write.by.require("decide_cases")
    decision = queries.decisions(write.by).filter(pk=decision_id).first()
    if decision is None:
        raise NotFound("There is no such decision.", code="no_such_decision")
    if not decision.policy or decision.undoes_id:
        raise Conflict("A person decided this.", code="not_by_policy")
    if Decision.objects.filter(undoes=decision).exists():
        raise Conflict("It was taken back already.", code="already_undone")
    known = Audit.objects.filter(decision=decision).first()
    return known or Audit.objects.create(
        workspace=write.workspace,
        decision=decision,
        actor=write.by.actor,
        write=write,
        recorded_at=write.recorded_at,
    )
