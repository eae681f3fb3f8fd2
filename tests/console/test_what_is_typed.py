"""What is typed into an address or a form: nothing is taken for a number that is none, and JSON is read strictly."""

from __future__ import annotations

import pytest

from memoryapp.doors.pages import number
from memoryapp.ledger.principal import Principal
from tests.context.telling import Context
from tests.files.telling import Tree
from tests.visiting import client_of

pytestmark = pytest.mark.django_db

NO_NUMBERS = ["9" * 5000, "99999999999999999999", "²", "-1", "1e3", " 1", "\x00"]


@pytest.mark.parametrize("text", NO_NUMBERS)
def test_only_plain_digits_are_a_number(text: str) -> None:
    assert number(text) is None
    assert number("017") == 17


def test_no_page_breaks_over_what_is_no_number(administrator: Principal) -> None:
    """Lists, versions, editions and budgets, asked for or sent."""
    Tree(administrator).write("/notes/a.md", "x")
    entry = Context(administrator).set("one").pk
    asked = ["files/?path=/notes/a.md&version=", "ontology/?edition=", "ontology/compare/?before=", "context/?budget="]
    asked += ["queue/decisions/?page=", "brief/?budget_tokens="]
    sent = [
        ("files/edit/", {"path": "/notes/a.md", "content": "y"}, "lock"),
        ("files/restore/", {"path": "/notes/a.md"}, "version"),
        (f"context/{entry}/restore/", {"lock": "1"}, "sequence"),
        (f"context/{entry}/pin/", {}, "lock"),
    ]
    client = client_of(administrator)
    client.raise_request_exception = False
    for text in NO_NUMBERS:
        for address in asked:
            assert client.get(f"/w/harbour/{address.partition('?')[0]}", _query(address, text)).status_code < 500, (
                address
            )
        for address, body, name in sent:
            assert client.post(f"/w/harbour/{address}", body | {name: text}).status_code < 500, address


def _query(address: str, text: str) -> dict[str, str]:
    pairs = [one.partition("=") for one in address.partition("?")[2].split("&")]
    return {name: value or text for name, _, value in pairs}


@pytest.mark.parametrize(
    "text", ['[{"name": "\\ud800"}]', '[{"name": "a\\u0000"}]', "[" * 100_000, "[NaN]", "9" * 5000]
)
def test_a_policy_is_read_as_strictly_as_a_request(administrator: Principal, text: str) -> None:
    """What is typed into a page is stored by no looser rules than what is sent."""
    client = client_of(administrator)
    client.raise_request_exception = False
    answer = client.post("/w/harbour/policies/put-in-force/", {"setting": "acceptance_policy", "document": text})
    administrator.workspace.refresh_from_db()
    assert (answer.status_code, administrator.workspace.settings.get("acceptance_policy")) == (422, None)
