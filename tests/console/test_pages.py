"""Every page of every room on real data in a real browser: clean, never wider than the screen, readable without
scripts, and worked by keyboard."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from memoryapp.access.models import Agent, Membership
from memoryapp.graph.models import Belief, Node
from memoryapp.ledger.models import Job
from memoryapp.ledger.principal import Principal
from memoryapp.review.models import Case
from memoryapp.timeline.models import Episode
from tests.browser import Browser, faults_of, page_is_clean
from tests.context.telling import Context
from tests.files.telling import Tree
from tests.graph.nodes.telling import Graph
from tests.graph.telling import Memory
from tests.visiting import tell_a_story

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.browser]


ONCE = {
    "why, as a graph",
    "for you",
    "talk",
    "read again",
    "take back",
    "erase",
    "what an agent did",
    "a declared type",
    "forms",
    "recall, side by side",
}
"""Pages made of parts that the others have as well: walked wide and in the light alone."""


@pytest.fixture
def addresses(
    curator_agent: Principal, viewer: Principal, operator: Principal, work: Callable[[], int]
) -> dict[str, str]:
    """A memory with something on every page, and the address of each."""
    told = tell_a_story(curator_agent, work)
    memory = Memory(operator)
    weekly = Belief.objects.get(content__icontains="weekly")
    drawn = memory.conclude("Ines Ferro reads short, regular pieces.", weekly)
    waiting = Belief.objects.get(content__icontains="monthly summary")
    tree = Tree(operator)
    tree.write(
        "/notes/berths.md", "# Berths\n\nStatus emails go out weekly, see [prices](prices.md).\n", tags=("mail",)
    )
    tree.edit("/notes/berths.md", "weekly", "weekly now")
    mind = Context(operator)
    kept = mind.set("Tone", "Short sentences.\n\n- no exclamation marks", "Writing", expires="2040-05")
    mind.set("Seats", "By the window, " * 30, "Travel")
    mind.set("Away", "In Porto.", "Travel", expires="2026-01-01", pinned=False)
    mind.update(kept, content="Short sentences, no exclamation marks.")
    graph = Graph(operator)
    other = graph.node("person", name="I. Ferro", handle="iferro")
    one = graph.node("person", name="Ines Ferro", phone="+351 910 000 111")
    graph.connect(one, "knows", other)
    asker = Agent.objects.values_list("pk", flat=True)[0]
    double = Case.objects.filter(kind="merge_suggestion").earliest("opened_at")
    return {
        "overview": "/w/harbour/",
        "beliefs": "/w/harbour/beliefs/",
        "nothing found": "/w/harbour/beliefs/?q=zebra",
        "a belief that waits": f"/w/harbour/beliefs/{waiting.pk}/",
        "a conclusion": f"/w/harbour/beliefs/{drawn.pk}/",
        "an edit": f"/w/harbour/beliefs/{drawn.pk}/edit/",
        "an end": f"/w/harbour/beliefs/{drawn.pk}/retire/",
        "a node": f"/w/harbour/nodes/{Node.objects.filter(label='Ines Ferro')[0].pk}/?at=2026-04-01",
        "nodes": "/w/harbour/nodes/?q=e",
        "a merge": f"/w/harbour/nodes/{one.pk}/merge/?other={other.pk}",
        "a split": f"/w/harbour/nodes/{one.pk}/split/",
        "the graph": f"/w/harbour/graph/?open={one.pk}&open={other.pk}&to={other.pk}",
        "two nodes for one?": f"/w/harbour/queue/{double.pk}/",
        "timeline": "/w/harbour/timeline/",
        "timeline, asked": "/w/harbour/timeline/?q=weekly+emails&from=2026-03-01&to=2026-06-30",
        "an episode": f"/w/harbour/timeline/{Episode.objects.values_list('pk', flat=True)[0]}/",
        "context": "/w/harbour/context/?budget=80",
        "a new entry": "/w/harbour/context/new/?section=Writing",
        "an entry": f"/w/harbour/context/{kept.pk}/",
        "files": "/w/harbour/files/?path=/notes",
        "a file": "/w/harbour/files/?path=/notes/berths.md",
        "what differs": "/w/harbour/files/difference/?path=/notes/berths.md&before=1",
        "files, asked": "/w/harbour/files/?q=weekly",
        "a file, edited": "/w/harbour/files/edit/?path=/notes/berths.md",
        "conversations": "/w/harbour/conversations/",
        "statements": "/w/harbour/conversations/?kind=statement",
        "a conversation": f"/w/harbour/conversations/{told['Fewer emails'].pk}/",
        "a statement": "/w/harbour/conversations/statements/new/",
        "jobs": "/w/harbour/jobs/",
        "a job": f"/w/harbour/jobs/{Job.objects.order_by('created_at').values_list('pk', flat=True)[0]}/",
        "agents": "/w/harbour/agents/",
        "an agent": f"/w/harbour/agents/{Agent.objects.values_list('pk', flat=True)[0]}/",
        "members": "/w/harbour/members/",
        "a member": f"/w/harbour/members/{Membership.objects.values_list('pk', flat=True)[0]}/",
        "queue": "/w/harbour/queue/",
        "several at once": "/w/harbour/queue/several/?all=yes&verdict=belief_conflict/newer_replaces",
        "decisions": "/w/harbour/queue/decisions/?whose=all",
        "policies": "/w/harbour/policies/",
        "search": "/w/harbour/search/?q=emails",
        "ontology": "/w/harbour/ontology/",
        "recall": "/w/harbour/recall/?q=weekly+emails+or+a+monthly+summary",
        "recall, side by side": f"/w/harbour/recall/?q=emails&compare=yes&beside.agent={asker}&beside.over=all",
        "why, as a graph": f"/w/harbour/beliefs/{drawn.pk}/why/",
        "for you": "/w/harbour/for-you/",
        "talk": f"/w/harbour/queue/{double.pk}/talk/",
        "read again": f"/w/harbour/conversations/{told['Fewer emails'].pk}/again/",
        "take back": f"/w/harbour/conversations/{told['Fewer emails'].pk}/withdraw/",
        "erase": f"/w/harbour/nodes/{one.pk}/erase/",
        "what an agent did": f"/w/harbour/agents/{asker}/activity/",
        "a declared type": "/w/harbour/ontology/node_classes/person/",
        "forms": "/w/harbour/forms/",
    }


@pytest.mark.parametrize(("width", "theme"), [(1440, "light"), (390, "dark")])
def test_every_page_is_clean_and_fits(
    addresses: dict[str, str], signed_in: Callable[..., Any], live_server: Any, width: int, theme: str
) -> None:
    page = signed_in("admin", width=width, theme=theme)
    faults = {}
    for name, address in addresses.items():
        if name in ONCE and theme == "dark":
            continue
        assert page.goto(live_server.url + address).status == 200, name
        page.wait_for_selector("html[data-ready]")
        found = faults_of(page)
        if (wide := page.evaluate("document.documentElement.scrollWidth")) > width:
            found.append(f"is {wide} px wide")
        if found:
            faults[name] = found
    assert not faults


def test_pages_are_read_without_scripts(
    addresses: dict[str, str], signed_in: Callable[..., Any], browser: Browser, live_server: Any
) -> None:
    state = signed_in("admin").context.storage_state()
    page = browser.page(java_script_enabled=False, storage_state=state)
    page.goto(live_server.url + addresses["beliefs"])
    page.get_by_role("searchbox").fill("weekly")
    page.get_by_role("button", name="Filter").click()
    page.get_by_role("link", name="weekly status emails").click()
    assert page.get_by_role("heading", name="Why: what it stands on").is_visible()
    page.get_by_role("link", name="In the conversation").click()
    assert page.get_by_text("I'd like weekly status emails.").is_visible()


def test_a_belief_is_found_opened_and_edited_by_keyboard_alone(
    addresses: dict[str, str], signed_in: Callable[..., Any], live_server: Any
) -> None:
    page = signed_in("curator")
    page.keyboard.press("g")
    page.keyboard.press("b")
    page.wait_for_url("**/beliefs/")
    page.wait_for_selector("html[data-ready]")
    page.keyboard.press("/")
    page.keyboard.type("bullet")
    page.keyboard.press("Enter")
    page.wait_for_url("**q=bullet**")
    page.wait_for_selector("html[data-ready]")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="bullet points").wait_for()
    page.wait_for_selector("html[data-ready]")
    page.keyboard.press("e")
    page.wait_for_url("**/edit/")
    page.wait_for_selector("html[data-ready]")
    page.get_by_label("In your words").focus()
    page.keyboard.press("Control+A")
    page.keyboard.type("Ines Ferro prefers short lists")
    page.get_by_label("Why").focus()
    page.keyboard.type("She said so on the telephone.")
    page.reload()
    page.wait_for_selector("html[data-ready]")
    assert page.get_by_label("Why").input_value() == "She said so on the telephone.", "half-written words are kept"
    page.get_by_role("button", name="Save as a new belief").focus()
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="prefers short lists").wait_for()
    page_is_clean(page)
    assert Belief.objects.get(content="Ines Ferro prefers short lists").status == "activated"
    old = Belief.objects.get(content__icontains="bullet points")
    page.goto(f"{live_server.url}/w/harbour/beliefs/{old.pk}/reinstate/")
    page.wait_for_selector("html[data-ready]")
    assert page.get_by_label("Why").input_value() == ""


def test_a_statement_is_read_while_its_page_is_open(
    signed_in: Callable[..., Any], live_server: Any, work: Callable[[], int]
) -> None:
    page = signed_in("reviewer")
    page.goto(f"{live_server.url}/w/harbour/conversations/statements/new/")
    page.wait_for_selector("html[data-ready]")
    page.get_by_label("What you state").fill("I prefer tea to coffee.")
    page.get_by_role("button", name="Write it down").click()
    page.get_by_text("It is being read now.").wait_for()
    work()
    page.get_by_text("It is being read now.").wait_for(state="detached")
    page_is_clean(page)


def test_a_key_is_shown_once_and_announced(signed_in: Callable[..., Any], live_server: Any) -> None:
    page = signed_in("admin")
    page.goto(f"{live_server.url}/w/harbour/agents/")
    page.wait_for_selector("html[data-ready]")
    page.get_by_label("Name").fill("Front desk")
    page.get_by_role("button", name="Create and issue a key").click()
    key = page.locator("#new-key").inner_text()
    assert key.startswith("cpl_")
    page_is_clean(page)
    page.goto(f"{live_server.url}/w/harbour/agents/")
    assert key not in page.content()
