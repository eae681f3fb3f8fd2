"""Whatever is sent, what is wrong is named and nothing of it is stored. The bodies are made from the schema itself."""

from __future__ import annotations

from typing import Any

import pytest
from django.apps import apps

from memoryapp.access.models import Refusal
from memoryapp.ledger.models import WorkspaceRow
from tests.api.calling import Caller
from tests.api.sweeping import Operation, large_bodies, operations, raw_bodies, wrong_bodies

pytestmark = pytest.mark.django_db

LOCK = {"If_Match": '"1"'}


@pytest.fixture
def posts(settings: Any) -> list[Operation]:
    """Every POST that takes a body."""
    settings.KEY_REQUESTS_PER_MINUTE = 1_000_000
    found = operations()
    assert {"tell_conversation", "remember", "remember (many)"} <= {post.name for post in found}
    return found


@pytest.fixture
def everything_allowed(workspace: Any) -> Caller:
    from memoryapp.access.capabilities import SURFACES

    return Caller(workspace, SURFACES)


def rows() -> dict[str, int]:
    """How many rows each table holds, but for the count of what agents were refused."""
    tables = [model for model in apps.get_models() if issubclass(model, WorkspaceRow) and model is not Refusal]
    return {model.__name__: model._default_manager.count() for model in tables}


def test_one_thing_wrong_anywhere_in_a_body_is_named_and_stores_nothing(
    posts: list[Operation], everything_allowed: Caller
) -> None:
    before = rows()
    tried = 0
    wrongly_taken: list[str] = []
    for post in posts:
        for wrong in wrong_bodies(post):
            tried += 1
            answer = everything_allowed.post(post.address, wrong.body, **LOCK)
            named = [error["path"] for error in answer.json().get("errors", ())]
            if answer.status_code not in (400, 422) or not any(path.startswith(wrong.pointer) for path in named):
                wrongly_taken.append(f"{wrong} -> {answer.status_code} {answer.json().get('code')} {named}")
    assert wrongly_taken == []
    assert tried > 8 * len(posts)
    assert rows() == before


def test_what_is_no_body_at_all_is_refused(posts: list[Operation], everything_allowed: Caller) -> None:
    """NUL, half surrogates and the rest, at every POST; ten megabytes and deep nesting, at every eighth."""
    before = rows()
    for number, post in enumerate(posts):
        for what, raw, statuses in [*(large_bodies(post) if number % 8 == 0 else ()), *raw_bodies(post)]:
            answer = everything_allowed.send("POST", post.address, raw, **LOCK)
            assert answer.status_code in statuses, (post.name, what, answer.json())
        for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"):
            assert everything_allowed.send("POST", post.address, b"{}", kind, **LOCK).status_code == 415
    assert rows() == before


def test_who_acts_and_where_is_never_said_by_a_body(posts: list[Operation], everything_allowed: Caller) -> None:
    """Case 67."""
    before = rows()
    for post in posts:
        for name in ("actor", "agent_id", "user", "workspace", "tenant"):
            answer = everything_allowed.post(post.address, post.body | {name: "somebody"}, **LOCK)
            assert (answer.status_code, answer.json()["code"]) == (403, "not_yours_to_say"), (post.name, name)
    assert rows() == before


def test_what_changes_a_head_names_its_state(posts: list[Operation], everything_allowed: Caller) -> None:
    changes = [post for post in posts if "/beliefs/" in post.address]
    assert len(changes) == 6
    for post in changes:
        assert everything_allowed.post(post.address, post.body).status_code == 428
        assert everything_allowed.post(post.address, post.body, If_Match='W/"1"').status_code == 400
        assert everything_allowed.post(post.address, post.body, **LOCK).status_code == 404
