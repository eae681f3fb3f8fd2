"""L4: every address of the product, walked by whoever should not be let in.

The addresses come from the URL map itself, so a new one is walked without being listed. What must be listed is the
exception: what the public may see.
"""

from __future__ import annotations

import itertools
import re
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from memoryapp.access import capabilities
from memoryapp.access.endpoints import ANY_KEY, VERBS, Endpoint
from tests.api.calling import Caller, is_well_formed
from tests.visiting import client_of

pytestmark = pytest.mark.django_db

PUBLIC = {
    "/healthz",
    "/status",
    "/api/docs",
    "/api/v1/openapi.json",
    "/admin/login/",
    "/admin/jsi18n/",
    "/sign-in",
    "/sign-in/",
}
"""What anybody may read. Nothing of a workspace is on these."""

SAMPLES = {"uuid": "01890a5d-ac96-774b-bcce-b302099a8057", "int": "1", "slug": "harbour", "str": "harbour", "path": "x"}


def addresses(resolver: URLResolver | None = None, before: str = "/") -> Iterator[tuple[str, URLPattern]]:
    """Every address with sample values in it."""
    for pattern in (resolver or get_resolver()).url_patterns:
        written = str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from addresses(pattern, before + _filled(written))
        else:
            yield before + _filled(written), pattern


def _filled(written: str) -> str:
    if written.startswith("^") or "(?P" in written:
        filled = re.sub(r"\(\?P<\w+>[^)]*\)", "x", written.strip("^$")).replace(".*", "nowhere").replace("\\Z", "")
        return re.sub(r"[\\?$]", "", filled)
    filled = re.sub(r"<(?:(\w+):)?\w+>", lambda found: SAMPLES.get(found.group(1) or "str", "x"), written)
    return filled


def _endpoint(pattern: URLPattern) -> type[Endpoint] | None:
    made: Any = getattr(pattern.callback, "cls", None) or getattr(pattern.callback, "view_class", None)
    return made if isinstance(made, type) and issubclass(made, Endpoint) else None


ENDPOINTS = [(address, kind) for address, pattern in addresses() if (kind := _endpoint(pattern))]
ALL_ADDRESSES = sorted({address for address, _ in addresses()})


def _walk(caller: Caller | None, headers: dict[str, str] | None = None) -> Iterator[tuple[str, str, str, Any]]:
    client = Client(raise_request_exception=False)
    for address, kind in ENDPOINTS:
        for verb in VERBS:
            if verb not in kind.needs:
                continue
            if caller:
                answer = caller.send(verb.upper(), address)
            else:
                answer = is_well_formed(client.generic(verb.upper(), address, headers=headers or {}))
            yield address, verb, kind.needs[verb], answer


def test_the_walk_finds_the_addresses() -> None:
    assert {"/api/v1/", "/api/v1/jobs"} <= {address for address, _ in ENDPOINTS}


def test_every_address_under_api_declares_who_may_call_it() -> None:
    undeclared = [
        address
        for address, pattern in addresses()
        if address.startswith("/api/") and address not in PUBLIC and _endpoint(pattern) is None
    ]
    assert undeclared == []


def test_without_a_key_or_sign_in_nothing_is_shown() -> None:
    """L4, case 50. Anonymous: 401 at the REST door, the sign-in page or a refusal everywhere else."""
    client = Client(raise_request_exception=False)
    asked = list(itertools.product(ALL_ADDRESSES, ("GET", "POST", "DELETE")))
    answers = [client.generic(verb, address) for address, verb in asked]
    kept_out = [_keeps_out(address, answer) for (address, _), answer in zip(asked, answers, strict=True)]
    assert [one for one, kept in zip(asked, kept_out, strict=True) if not kept] == []


def _keeps_out(address: str, answer: Any) -> bool:
    """Whether this is what somebody unknown may get."""
    if address in PUBLIC or address.startswith(("/static/", "/sign-")):
        nobody_works_here = address == "/status" and answer.status_code == 503
        return bool(answer.status_code < 500 or nobody_works_here)
    if address.startswith("/api/"):
        return answer.status_code == 401 and str(answer["WWW-Authenticate"]).startswith("Bearer")
    if answer.status_code in (301, 302):
        return re.search(r"sign-in|login|^/admin/$", answer["Location"]) is not None
    return answer.status_code in (401, 403, 404, 405)


@pytest.mark.parametrize(
    "authorization",
    [
        "",
        "Bearer",
        "Bearer ",
        "Bearer nonsense",
        "Bearer cpl_aaaaaaaaaa_" + "a" * 40,
        "Basic YWRhOmFkYQ==",
        "Token x",
        "Bearer \xff\xfe",
        "Bearer " + "x" * 5000,
    ],
)
def test_what_is_no_key_opens_nothing(authorization: str, workspace: Any) -> None:
    """L4."""
    for address, verb, _, answer in _walk(None, {"Authorization": authorization}):
        assert answer.status_code == 401, (verb, address)


def test_a_revoked_key_opens_nothing(curator: Caller) -> None:
    """L4."""
    curator.revoke()
    for address, verb, _, answer in _walk(curator):
        assert (answer.status_code, answer.json()["code"]) == (401, "key_not_valid"), (verb, address)


def test_an_expired_key_opens_nothing(curator: Caller) -> None:
    """L4."""
    curator.expire()
    for address, verb, _, answer in _walk(curator):
        assert (answer.status_code, answer.json()["code"]) == (401, "key_not_valid"), (verb, address)


def test_a_key_of_a_retired_agent_opens_nothing(curator: Caller) -> None:
    from memoryapp.access import services
    from memoryapp.ledger.services import record

    record(curator.operator, "r", lambda write: services.retire_agent(write, agent=curator.agent))
    for address, verb, _, answer in _walk(curator):
        assert answer.status_code == 401, (verb, address)


SETS = [*capabilities.AGENT_ROLES.values(), *[(surface,) for surface in capabilities.SURFACES], ()]


@pytest.mark.sql
@pytest.mark.parametrize("surfaces", SETS, ids=lambda surfaces: "+".join(surfaces) or "none")
def test_an_agent_is_refused_every_verb_outside_its_surfaces(workspace: Any, surfaces: tuple[str, ...]) -> None:
    """L3, L4: as the table says, and before the input is read: the empty bodies sent here are never looked at."""
    agent = Caller(workspace, surfaces)
    granted = capabilities.of_surfaces(surfaces)
    for address, verb, needed, answer in _walk(agent):
        if needed != ANY_KEY and needed not in granted:
            assert (answer.status_code, answer.json()["needs"]) == (403, needed), (verb, address)
        else:
            assert answer.status_code not in (401, 403), (verb, address)


def test_a_signed_in_person_is_not_let_into_the_rest_door(person: Any, workspace: Any) -> None:
    """A session cookie is no key: a page of another site could not be kept from using it."""
    from memoryapp.access.models import User

    person(workspace, "admin", "Ada")
    client = Client(raise_request_exception=False)
    client.force_login(User.objects.get(username="ada"))
    for address, _ in ENDPOINTS:
        assert client.get(address).status_code == 401


def _pages() -> list[tuple[str, str]]:
    """The pages and forms of a workspace: the address, and the capability each declares ("" for every member)."""
    declared = [(address, getattr(pattern.callback, "needs", None)) for address, pattern in addresses()]
    return [(address, needs) for address, needs in declared if isinstance(needs, str)]


def test_every_page_of_a_workspace_declares_who_may_see_it() -> None:
    walked = {address for address, _ in _pages()}
    assert {address for address in ALL_ADDRESSES if address.startswith("/w/harbour/")} == walked
    assert {needs for _, needs in _pages()} <= {"", *capabilities.BY_NAME}


@pytest.mark.sql
@pytest.mark.parametrize("role", capabilities.ROLES)
def test_a_member_sees_what_the_role_grants_and_nothing_else(role: str, person: Any, workspace: Any) -> None:
    """L4 in the browser: 403 for every page and form outside the role, before anything sent is looked at. What is sent
    to the forms that a role may use is looked at for the highest."""
    client = client_of(person(workspace, role))
    granted = capabilities.of_role(role)
    for address, needs in _pages():
        refused = bool(needs and needs not in granted)
        for verb in ("GET", "POST") if refused or role == "admin" else ("GET",):
            answer = client.generic(verb, address)
            if answer.status_code == 405:
                continue
            if refused:
                assert answer.status_code == 403, (verb, address, needs)
            else:
                assert answer.status_code in (200, 302, 400, 404, 422), (verb, address, needs, answer.status_code)


def test_a_member_of_another_workspace_finds_no_page_of_this_one(
    person: Any, workspace: Any, other_workspace: Any
) -> None:
    """L4 and case 50: 404 for an administrator of elsewhere and for somebody who left; a locked account signs in."""
    from memoryapp.access import services
    from memoryapp.access.models import User
    from memoryapp.ledger.services import record

    stranger = client_of(person(other_workspace, "admin", "Otto"))
    gone = person(workspace, "viewer", "Vera")
    left = gone.actor.membership
    record(services.operator(workspace), "end", lambda write: services.end_membership(write, membership=left))
    for client in (stranger, client_of(gone)):
        for address, _ in _pages():
            for verb in ("GET", "POST"):
                answer = client.generic(verb, address)
                assert answer.status_code in (404, 405), (verb, address)
                assert b"Harbour" not in answer.content, (verb, address)
    locked = client_of(person(workspace, "admin", "Bram"))
    User.objects.filter(username="bram").update(is_active=False)
    for address, _ in _pages():
        assert locked.get(address).status_code in (302, 405), address


def test_a_key_opens_its_own_workspace_alone(curator: Caller, stranger: Caller) -> None:
    """L4, case 67: another workspace's name, or one that does not exist, is 404 wherever it is sent."""
    for slug in (stranger.workspace.slug, "harbor-9"):
        for address, kind in ENDPOINTS:
            for verb in kind.needs:
                answer = curator.send(verb.upper(), address, Commonplace_Workspace=slug)
                assert answer.status_code == 404, (verb, address)


def test_an_id_of_nothing_is_not_found(curator: Caller) -> None:
    granted = capabilities.of_surfaces(curator.agent.surfaces)
    for address, kind in ENDPOINTS:
        if SAMPLES["uuid"] in address and kind.needs.get("get") in granted:
            other = address.replace(SAMPLES["uuid"], str(uuid.uuid4()))
            assert curator.get(other).status_code == 404, address


def test_no_address_and_no_tool_hands_out_a_dump() -> None:
    """L1: what rules of paths hide is in a dump, and a dump is for whoever runs commands on the machine alone."""
    from memoryapp.mcp import offered

    doors = [*ALL_ADDRESSES, *offered.tools()]
    assert len(doors) > 100
    assert [one for one in doors if re.search("dump|backup|restore_workspace", one)] == []
