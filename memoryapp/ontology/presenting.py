"""A proposal as people and programs are shown it: in words, as two small graphs, as a difference, with what it does."""

from __future__ import annotations

import itertools
import json
from typing import Any

import yaml

from memoryapp.doors.errors import DomainError
from memoryapp.doors.pages import address
from memoryapp.ledger.principal import Principal
from memoryapp.ontology.changeset import KINDS
from memoryapp.ontology.changeset.changes import FAMILIES, PROPERTIES, read_changes
from memoryapp.ontology.changeset.kinds import FAMILY_WORDS, in_words
from memoryapp.ontology.changeset.moves import Follow
from memoryapp.ontology.compiled import Ontology
from memoryapp.ontology.models import Occurrence, Proposal, ProposalMove, ProposalRevision
from memoryapp.ontology.queries import proposals as queries
from memoryapp.ontology.queries.proposals import Outlook

PAYLOADS = 20
"""Refused writes that are shown with a proposal: the latest."""


def presented(by: Principal, proposal: Proposal) -> dict[str, Any]:
    """Everything that is needed to decide on a proposal, for a template."""
    revision = queries.revision_of(proposal)
    found = queries.looked_at(by, proposal)
    return {
        "proposal": proposal,
        "revision": revision,
        "title": queries.title(revision),
        "kind": KINDS.get(proposal.kind, proposal.kind),
        "sentences": sentences(revision),
        "outlook": found,
        "types": compared(found),
        "payloads": payloads(by, proposal),
        "moves": queries.moves_of(proposal),
        "url": address(by, "ontology:proposal", proposal.pk),
        "changes_text": yaml.safe_dump(revision.changes, sort_keys=False, allow_unicode=True, width=100),
    }


def plain(by: Principal, proposal: Proposal) -> dict[str, Any]:
    """The same as plain data."""
    revision = queries.revision_of(proposal)
    return told(proposal, revision) | {
        "dry_run": queries.looked_at(by, proposal).as_data(),
        "moves": [told_move(one) for one in queries.moves_of(proposal)],
        "met": [told_occurrence(by, one) for one in queries.occurrences(by, proposal)[:200]],
    }


def told(proposal: Proposal, revision: ProposalRevision | None) -> dict[str, Any]:
    """A proposal in a list."""
    return {
        "id": str(proposal.pk),
        "number": proposal.number,
        "title": queries.title(revision),
        "kind": proposal.kind,
        "status": proposal.status,
        "severity": proposal.severity,
        "origin": proposal.origin,
        "filer": proposal.filer.name,
        "base_edition": proposal.base_edition,
        "applied_edition": proposal.applied_edition,
        "revision": proposal.revision,
        "occurrences": proposal.occurrences,
        "changes": revision.changes if revision else [],
        "rationale": revision.rationale if revision else "",
        "alternatives": revision.alternatives if revision else [],
        "lock": proposal.lock,
        "recorded_at": proposal.recorded_at,
    }


def told_move(move: ProposalMove) -> dict[str, Any]:
    return {
        "from": move.from_status,
        "to": move.to_status,
        "by": move.write.actor.name,
        "reason": move.reason,
        "report": move.report,
        "at": move.recorded_at,
    }


def told_occurrence(by: Principal, one: Occurrence) -> dict[str, Any]:
    return {
        "id": str(one.pk),
        "sequence": one.sequence,
        "state": one.state,
        "action": one.action,
        "by": one.actor.name,
        "payload": queries.payload_shown(by, one),
        "outcome": one.outcome if not one.private or one.actor_id == by.actor.pk else {},
        "at": one.recorded_at,
    }


def sentences(revision: ProposalRevision) -> list[str]:
    """What is proposed, each change as a sentence."""
    try:
        return [f"{in_words(one)}." for one in read_changes(revision.changes)]
    except DomainError:
        return []


def payloads(by: Principal, proposal: Proposal) -> list[dict[str, Any]]:
    """The latest writes that were refused for want of it, as they were sent."""
    latest = queries.occurrences(by, proposal).order_by("-sequence")[:PAYLOADS]
    shown = []
    for one in latest:
        payload = queries.payload_shown(by, one)
        text = "" if payload is None else json.dumps(payload, ensure_ascii=False, indent=2)
        errors = one.outcome.get("errors", []) if payload is not None else []
        shown.append({"one": one, "text": text, "errors": errors})
    return shown


def compared(found: Outlook) -> list[dict[str, Any]]:
    """Every type that differs, as it is and as it would be: in words and as a small graph."""
    shown: dict[tuple[str, str], dict[str, Any]] = {}
    follow = Follow(found.changed.moves if found.changed else ())
    was_called: dict[tuple[str, str], str] = {}
    for family in FAMILIES:
        for name in getattr(found.before.document, family):
            now = follow.type(family, name)
            was_called.setdefault((family, now), name if now != name else "")
    for one in found.differences:
        name = follow.type(one.family, one.type)
        place = (one.family, name)
        if one.family and place not in shown:
            former = was_called.get(place) or name
            before = side(found.before, one.family, former)
            after = side(found.after, one.family, name) if found.after else None
            shown[place] = {
                "family": FAMILY_WORDS.get(one.family, one.family),
                "name": name,
                "before": before,
                "after": after,
                "differences": [],
                "figure": figure(before, after),
            }
        if place in shown:
            shown[place]["differences"].append(one)
    return list(shown.values())


def side(ontology: Ontology, family: str, name: str) -> dict[str, Any] | None:
    """A type in words, with what it inherits; None where it is not declared."""
    declared = getattr(ontology.document, family, {}).get(name)
    if declared is None:
        return None
    types = getattr(ontology.document, family)
    line = [name]
    while parent := getattr(types[line[-1]], "parent", ""):
        line.append(parent)
    field = PROPERTIES.get(family, "")
    properties = [
        {"name": one, "type": _type(schema), "of": owner if owner != name else ""}
        for owner in line
        for one, schema in getattr(types[owner], field, {}).items()
    ]
    return {
        "name": name,
        "title": declared.title or name.replace("_", " "),
        "explains": declared.description,
        "above": line[1:],
        "below": [one for one, it in types.items() if getattr(it, "parent", "") == name],
        "abstract": getattr(declared, "abstract", False),
        "retired": getattr(declared, "retired", False),
        "properties": properties,
        "roles": list(getattr(declared, "roles", {})),
        "keys": [" and ".join(one) for one in getattr(declared, "keys", ())],
        "pairs": [f"{one.subject} → {one.object}" for one in getattr(declared, "pairs", ())],
    }


def _type(schema: Any) -> str:
    from memoryapp.ontology.schemas import in_words as words

    return words(schema)


MOST_IN_FIGURE = 8


def figure(before: dict[str, Any] | None, after: dict[str, Any] | None) -> dict[str, Any]:
    """A small graph: what is above, the type itself, what is below. Each says whether it comes, goes or stays."""

    def names(of: dict[str, Any] | None, field: str) -> list[str]:
        return list(of[field])[:MOST_IN_FIGURE] if of else []

    rows = []
    for field in ("above", "below"):
        now = names(after, field)
        was = names(before, field) if before else [one for one in now if field == "above"]
        rows.append([_box(one, one in was, one in now) for one in dict.fromkeys([*was, *now])])
    own = after or before
    middle = [] if own is None else [_box(own["name"], before is not None, after is not None)]
    above = list(reversed(rows[0]))
    lines = [*([one] for one in above), middle, *([rows[1]] if rows[1] else [])]
    width = max((len(line) for line in lines), default=1)
    placed, height = [], 56
    for place, line in enumerate(lines):
        for number, box in enumerate(line):
            left = (width - len(line)) * 80 + number * 160 + 8
            top = place * height + 8
            placed.append(box | {"x": left, "y": top, "text_x": left + 72, "text_y": top + 23})
    joins = _joins(placed, len(above), bool(rows[1]))
    return {"boxes": placed, "joins": joins, "width": width * 160 + 4, "height": len(lines) * height + 4}


def _box(name: str, was: bool, now: bool) -> dict[str, Any]:
    sort = "stays" if was and now else "comes" if now else "goes"
    return {"name": name if len(name) <= 18 else name[:17] + "…", "whole": name, "sort": sort}


def _joins(placed: list[dict[str, Any]], above: int, below: bool) -> list[dict[str, int]]:
    chain = placed[: above + 1]
    pairs = list(itertools.pairwise(chain))
    if below and chain:
        pairs += [(chain[-1], one) for one in placed[above + 1 :]]
    return [{"x1": a["x"] + 72, "y1": a["y"] + 36, "x2": b["x"] + 72, "y2": b["y"]} for a, b in pairs]
