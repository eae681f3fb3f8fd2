"""Taking back and erasing in the browser and over REST: first what would become of it, then a reason, then done."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from memoryapp.graph.models import Belief, Node
from memoryapp.ledger.models import Erasure, Workspace
from memoryapp.ledger.principal import Principal
from tests.api.calling import Caller
from tests.visiting import client_of, tell_a_story

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_conversation_is_taken_back_with_a_reason_and_marked(
    curator_agent: Principal, administrator: Principal, work: Callable[[], int]
) -> None:
    thread = tell_a_story(curator_agent, work)["Setting up"]
    page, address = client_of(administrator), f"/w/harbour/conversations/{thread.pk}/"
    asked = page.get(f"{address}withdraw/").content.decode()
    assert "weekly status emails" in asked
    assert "Falls" in asked
    refused = page.post(f"{address}withdraw/", {"rationale": " "})
    assert refused.status_code == 422
    assert "needs a reason" in refused.content.decode()
    done = page.post(f"{address}withdraw/", {"rationale": "It was said of another project."})
    assert done.status_code == 302
    shown = page.get(address).content.decode()
    assert "Taken back by" in shown
    assert "It was said of another project." in shown
    assert Belief.objects.filter(content__icontains="weekly status").exclude(standing="withdrawn").count() == 0


def test_over_rest_it_is_previewed_done_once_and_its_state_is_read(
    curator_agent: Principal, workspace: Workspace, work: Callable[[], int]
) -> None:
    thread = tell_a_story(curator_agent, work)["Setting up"]
    steward = Caller(workspace, ["lookup", "recall", "curate", "steward"], "Steward")
    assert steward.get(f"threads/{thread.pk}/withdrawal").json() == {"withdrawal": None}
    preview = steward.get(f"threads/{thread.pk}/withdraw/preview").json()
    assert preview["sources"] == 3
    assert preview["falls"]["count"] >= 2
    reason = {"rationale": "It was said of another project."}
    done = steward.post(f"threads/{thread.pk}/withdraw", reason, Idempotency_Key="once")
    assert done.status_code == 201
    assert steward.post(f"threads/{thread.pk}/withdraw", reason, Idempotency_Key="once").json() == done.json()
    again = steward.post(f"threads/{thread.pk}/withdraw", reason)
    assert (again.status_code, again.json()["code"]) == (409, "already_withdrawn")
    state = steward.get(f"threads/{thread.pk}/withdrawal").json()["withdrawal"]
    assert (state["by"], state["complete"], len(state["open_cases"])) == ("Steward", False, 1)
    turns = steward.get(f"threads/{thread.pk}/turns").json()["items"]
    assert all(turn["withdrawn_at"] for turn in turns)
    hits = steward.post("recall", {"question": "weekly status emails", "over": "all"}).json()["hits"]
    assert not [hit for hit in hits if "weekly" in hit["text"].lower()]


def test_a_person_is_erased_by_typing_their_name(
    curator_agent: Principal, administrator: Principal, viewer: Principal, work: Callable[[], int]
) -> None:
    tell_a_story(curator_agent, work)
    ines = Node.objects.get(label="Ines Ferro")
    address = f"/w/harbour/nodes/{ines.pk}/erase/"
    assert client_of(viewer).get(address).status_code == 403
    page = client_of(administrator)
    assert "Type “Ines Ferro”" in page.get(address).content.decode()
    refused = page.post(address, {"name": "Ines", "rationale": "Asked for."})
    assert (refused.status_code, Erasure.objects.count()) == (422, 0)
    assert page.post(address, {"name": "Ines Ferro", "rationale": "Asked for."}).status_code == 302
    shown = page.get(f"/w/harbour/nodes/{ines.pk}/").content.decode()
    assert "Ines" not in shown
    assert "prove_erased" in shown
