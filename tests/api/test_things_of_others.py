"""L4, with real things: whatever belongs to another workspace is answered exactly as if it did not exist.

The addresses come from the URL map. One that names a thing for which there is none here fails, so that a new address
brings its thing along.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.test import Client
from django.urls import URLPattern

from formsengine.api.attaching import PIXEL
from memoryapp.access.endpoints import Endpoint
from memoryapp.access.models import User
from memoryapp.ledger.models import Workspace
from memoryapp.ledger.principal import Principal
from memoryapp.ontology.api.proposals import EXAMPLE as PROPOSAL
from tests.api.calling import Caller
from tests.api.conftest import Things
from tests.api.test_every_address import addresses

pytestmark = pytest.mark.django_db

REASON = {"reason": "It is not so."}
BODIES: dict[str, dict[str, Any]] = {
    "supersede": REASON | {"successor": "01890a5d-ac96-774b-bcce-b302099a8057"},
    "source-reading": {"rationale": "The rules read more."},
    "thread-reading": {"rationale": "The rules read more."},
    "withdraw-source": {"rationale": "It was said of somebody else."},
    "withdraw-thread": {"rationale": "It was said of somebody else."},
    "give-owner": REASON | {"owner": "01890a5d-ac96-774b-bcce-b302099a8057"},
    "episode-learned": {"beliefs": ["01890a5d-ac96-774b-bcce-b302099a8057"]},
    "proposal-revise": PROPOSAL,
    "form-version-publish": {},
    "form-response-write": {"ops": [{"op": "set", "field": "name", "value": "Ana"}]},
    "form-response-attachments": {"field": "photo", "name": "gate.png", "content": PIXEL},
    "form-response-refresh": {},
    "form-response-move": {"version": 1},
    "form-response-submit": {"base": 0},
    "form-response-accept": {},
    "form-response-gate": {"gate": "seen", "outcome": "passed"},
    "restore-context": {"sequence": 1},
    "validity": REASON | {"valid_from": "2024"},
    "merge": {"folded": "01890a5d-ac96-774b-bcce-b302099a8057"},
    "split": {"beliefs": ["01890a5d-ac96-774b-bcce-b302099a8057"]},
    "take-back-merge": {"decision": "01890a5d-ac96-774b-bcce-b302099a8057"},
}
"""By the name of an address: what its POST takes, where that is not a reason alone."""

ASKS_MORE = {"merge-preview", "form-response-attachment"}
"""Names of addresses that answer only where something is asked of them, or of what is within the thing."""

FORMS: dict[str, dict[str, str]] = {"snooze": {"until": "week"}, "restore": {"sequence": "1", "lock": "1"}}
"""By the name of an address: what its form must hold for it to look for the thing at all."""

NO_THINGS = {"workspace", "name", "verb", "number", "family", "attachment_id"}
"""Parts of addresses that name no thing of a workspace, or one that is looked for only within the thing before it."""

OPERATORS = "/admin/"
"""The operators' site shows every workspace to whoever runs the machine."""


def naming(prefix: str) -> Iterator[tuple[str, URLPattern, list[str]]]:
    """Every address below the prefix that names a thing, its pattern, and the names of what it takes."""
    for address, pattern in addresses():
        named = [name for name in pattern.pattern.converters if name not in NO_THINGS]
        if named and address.startswith(prefix) and not address.startswith(OPERATORS):
            yield address, pattern, named


def filled(address: str, thing: uuid.UUID) -> str:
    """The address with the thing in the place of the sample id."""
    return address.replace("01890a5d-ac96-774b-bcce-b302099a8057", str(thing))


def test_every_address_that_names_a_thing_has_one_here(things: Things) -> None:
    unknown = {name for _, _, named in naming("/") for name in named} - things.keys()
    assert unknown == set()


def test_by_rest_things_of_others_are_answered_as_nothing_is(things: Things, stranger: Caller, curator: Caller) -> None:
    """L4."""
    told: list[Any] = []
    for address, pattern, named in naming("/api/"):
        endpoint: type[Endpoint] = pattern.callback.cls  # type: ignore[attr-defined]
        for thing in things[named[0]]:
            for verb in endpoint.needs:
                absent = uuid.uuid4()
                theirs = _ask(stranger, verb, filled(address, thing), pattern)
                nothing = _ask(stranger, verb, filled(address, absent), pattern)
                asked = verb == "get" and pattern.name not in ASKS_MORE
                own = curator.get(filled(address, thing)) if asked else None
                if theirs.status_code != 404 or _plain(theirs, str(thing)) != _plain(nothing, str(absent)):
                    told.append((verb, address, theirs.status_code, theirs.content))
                if own is not None and own.status_code != 200:
                    told.append(("own", address, own.status_code, own.content))
    assert told == []


def _ask(caller: Caller, verb: str, address: str, pattern: URLPattern) -> Any:
    if verb == "get":
        return caller.get(address)
    return caller.post(address, BODIES.get(pattern.name or "", REASON), If_Match='"1"')


def _plain(answer: Any, thing: str) -> str:
    """What a problem says, without what the request itself brought."""
    trace: str = answer.json()["trace_id"]
    return str(answer.content.decode()).replace(trace, "").replace(thing, "")


def test_on_pages_things_of_others_are_answered_as_nothing_is(
    things: Things, workspace: Workspace, other_workspace: Workspace, person: Callable[..., Principal]
) -> None:
    """L4."""
    person(other_workspace, "admin", "Olga")
    client = Client(raise_request_exception=False)
    client.force_login(User.objects.get(username="olga"))
    told: list[Any] = []
    for address, pattern, named in naming("/w/"):
        for thing in things[named[0]]:
            for slug in (workspace.slug, other_workspace.slug):
                theirs = filled(address, thing).replace("/w/harbour/", f"/w/{slug}/")
                answers = client.get(theirs), client.post(theirs, FORMS.get(pattern.name or "", {}))
                told += [(theirs, one.status_code) for one in answers if one.status_code not in (404, 405)]
                if all(one.status_code == 405 for one in answers):
                    told.append((theirs, 405))
    assert told == []
