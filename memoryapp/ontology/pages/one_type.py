"""One declared type: what it may hold, of its own and inherited, where that came from, and what is stored of it."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse

from memoryapp.doors.errors import DomainError, NotFound
from memoryapp.doors.pages import address, member_page, page
from memoryapp.ledger.principal import Principal
from memoryapp.ontology import counting, examples, presenting, queries
from memoryapp.ontology.changes import PARTS, types_below
from memoryapp.ontology.changeset import Change, read_changes
from memoryapp.ontology.changeset.kinds import FAMILY_WORDS, in_words
from memoryapp.ontology.compiled import Ontology
from memoryapp.ontology.mentions import mentions_of, of_views
from memoryapp.ontology.models import ProposalRevision
from memoryapp.ontology.queries.proposals import revisions, who_added
from memoryapp.ontology.usage import Part

STORED_AS = {
    "node_classes": "node_class",
    "belief_kinds": "belief_kind",
    "relationships": "relationship",
    "relation_kinds": "relation_kind",
    "episode_kinds": "episode_kind",
}
"""What a family of the document is called where its types are counted."""


@member_page("read_ontology")
def one_type(request: HttpRequest, by: Principal, family: str, name: str) -> HttpResponse:
    """A type of the edition in force; a former name leads to what it is called now."""
    ontology = queries.current_ontology(by)
    name = ontology.today(family, name) if family in PARTS else name
    side = presenting.side(ontology, family, name) if family in PARTS else None
    if side is None:
        raise NotFound("There is no such type.", code="no_such_type")
    return page(
        request,
        "ontology/type.html",
        {
            "by": by,
            "side": side,
            "name": name,
            "family": FAMILY_WORDS[family],
            "number": ontology.number,
            "count": _count(by, STORED_AS[family], name),
            "added": _added(by, family, name),
            "changed": _changed(by, ontology, family, name),
            "examples": examples.of_type(by, family, name),
            "mentions": _mentions(by, ontology, family, name),
            "links": {one: address(by, "ontology:type", family, one) for one in (*side["above"], *side["below"])},
        },
    )


def _added(by: Principal, family: str, name: str) -> dict[str, Any]:
    since = {(of, one): number for of, one, number in queries.since(by)}.get((STORED_AS[family], name))
    proposal = who_added(by).get(since) if since else None
    return {
        "since": since,
        "proposal": proposal,
        "url": address(by, "ontology:proposal", proposal.pk) if proposal else "",
    }


def _count(by: Principal, stored_as: str, name: str) -> int | None:
    return None if (stored_as, name) in counting.UNCOUNTED else counting.by_type(by)[stored_as, name]


def _changed(by: Principal, ontology: Ontology, family: str, name: str) -> list[dict[str, Any]]:
    """What proposals changed of it since it was declared, the latest first."""
    applied = who_added(by)
    says = revisions(list(applied.values()))
    found = []
    for number in sorted(applied, reverse=True):
        proposal = applied[number]
        told = [in_words(one) for one in _changes(says.get(proposal.pk)) if _about(one, ontology, family, name)]
        if told:
            url = address(by, "ontology:proposal", proposal.pk)
            found.append({"words": "; ".join(told), "proposal": proposal, "url": url, "edition": number})
    return found


def _changes(revision: ProposalRevision | None) -> list[Change]:
    try:
        return read_changes(revision.changes) if revision else []
    except DomainError:
        return []


def _about(change: Change, ontology: Ontology, family: str, name: str) -> bool:
    """Whether a change is one of the type, by whatever name it had then."""
    if getattr(change, "family", "node_classes") != family:
        return False
    named = (getattr(change, "type", ""), getattr(change, "to", ""), getattr(change, "into", ""))
    return name in {ontology.today(family, one) for one in named if isinstance(one, str) and one}


def _mentions(by: Principal, ontology: Ontology, family: str, name: str) -> list[str]:
    part = Part(family, name, types_below(ontology, family)[name])
    named = (*of_views(ontology.document.views, part), *mentions_of(by.workspace, part))
    return [str(one) for one in dict.fromkeys(named)]
