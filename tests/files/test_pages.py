"""Files in the browser: looked through, edited with nobody overwritten, uploaded, moved, restored; nothing unsafe."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from memoryapp.files import queries
from memoryapp.files.pages import browsing
from memoryapp.files.pages.rendering import rendered
from memoryapp.files.pages.tree import level
from memoryapp.files.services import placing
from memoryapp.ledger.principal import Principal
from tests.files.telling import Tree, ruled
from tests.files.test_attachments import pdf
from tests.visiting import client_of

pytestmark = pytest.mark.django_db

FILES = "/w/harbour/files/"


@pytest.fixture
def client(administrator: Principal) -> Any:
    return client_of(administrator)


def shown(client: Any, address: str, status: int = 200) -> str:
    answer = client.get(address, follow=True)
    assert answer.status_code == status, answer.content
    return str(answer.content.decode())


def test_a_directory_a_file_its_versions_and_what_differs_are_shown(
    client: Any, tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree.write("/notes/a.md", "# Berths\n\nSee [b](b.md).\n", tags=("harbour",))
    tree.write("/notes/b.md", "b")
    tree.edit("/notes/a.md", "See", "Look at")
    assert "a.md" in shown(client, f"{FILES}?path=/notes")
    page = shown(client, f"{FILES}?path=/notes/a.md")
    assert "<h2>Berths</h2>" in page
    assert 'href="/w/harbour/files/?path=%2Fnotes%2Fb.md"' in page
    assert "leads here" in shown(client, f"{FILES}?path=/notes/b.md")
    assert "This is how it was" in shown(client, f"{FILES}?path=/notes/a.md&version=1")
    monkeypatch.setattr(browsing, "MOST_VERSIONS", 1)
    [older] = re.findall(r'href="([^"]+)">Older versions', shown(client, f"{FILES}?path=/notes/a.md"))
    first = shown(client, html.unescape(older))
    assert ("Version 1</a>" in first, "Version 2</a>" in first, "Older versions" in first) == (True, False, False)
    changed = re.findall(r'href="([^"]+)">What it changed', page)
    assert "+Look at [b](b.md)." in shown(client, html.unescape(changed[0]))
    differs = shown(client, f"{FILES}difference/?path=/notes/a.md&before=1")
    assert "-See [b](b.md)." in differs
    assert 'href="/w/harbour/files/?path=%2Fnotes"' in shown(client, f"{FILES}branch/?path=/")
    shown(client, f"{FILES}?path=/notes/none", 404)
    shown(client, f"{FILES}?path=/notes/../x", 404)
    shown(client, f"{FILES}?path=/notes/a.md&version=99", 404)
    shown(client, f"{FILES}?path=/notes/a.md&version=x", 404)


def test_one_box_finds_words_lines_and_paths(client: Any, tree: Tree) -> None:
    tree.write("/notes/a.md", "The marlin plan.")
    assert "Lines that hold it" in shown(client, f"{FILES}?q=marlin")
    assert "/notes/a.md" in shown(client, f"{FILES}?q=/**/*.md")
    assert "Nothing holds it" in shown(client, f"{FILES}?q=zebra")
    assert "No path matches" in shown(client, f"{FILES}?q=/x/*")
    assert "The pattern may not hold" in shown(client, f"{FILES}?q=/../*")
    assert "The marlin plan." in shown(client, f"{FILES}?q=m.r(l|k)in&regex=yes")
    assert "Nothing holds it" in shown(client, f"{FILES}?q=m.r(l|k)in")
    assert "This is no expression" in shown(client, f"{FILES}?q=(&regex=yes")
    assert "/notes/a.md" in shown(client, "/w/harbour/search/?q=marlin")


def test_who_was_overtaken_sees_what_changed_and_loses_nothing_typed(client: Any, tree: Tree) -> None:
    """F2"""
    tree.write("/notes/a.md", "tea\n")
    typed = {"path": "/notes/a.md", "content": "green tea\r\n", "lock": "1"}
    preview = client.post(f"{FILES}edit/", typed | {"preview": "yes"}).content.decode()
    assert "As it will be" in preview
    assert tree.text("/notes/a.md") == "tea\n"
    tree.rewrite("/notes/a.md", "coffee\n")
    overtaken = client.post(f"{FILES}edit/", typed)
    page = overtaken.content.decode()
    assert overtaken.status_code == 412
    assert "Somebody changed it meanwhile" in page
    assert "green tea" in page
    assert "+coffee" in page
    assert 'name="lock" value="2"' in page
    assert client.post(f"{FILES}edit/", typed | {"lock": "2"}).status_code == 302
    assert tree.text("/notes/a.md") == "green tea\n"
    made = client.post(f"{FILES}edit/", {"path": "/notes/new.md", "content": "x", "lock": "", "new": "yes"})
    assert made.status_code == 302
    there = client.post(f"{FILES}edit/", {"path": "/notes/new.md", "content": "kept", "lock": "", "new": "yes"})
    assert ("Open it to edit it" in there.content.decode(), "kept" in there.content.decode()) == (True, True)
    refused = client.post(f"{FILES}edit/", {"path": "nowhere", "content": "kept", "lock": "", "new": "yes"})
    assert "A path begins with a slash." in refused.content.decode()
    assert "kept" in refused.content.decode()


def test_files_are_made_moved_tagged_removed_and_restored(client: Any, tree: Tree) -> None:
    client.post(f"{FILES}make/", {"within": "/", "name": "desk"})
    tree.write("/notes/a.md", "a")
    tree.write("/notes/b.md", "b")
    several = {"within": "/notes", "chosen": ["/notes/a.md", "/notes/b.md"]}
    client.post(f"{FILES}describe/", several | {"tags": "harbour, settled"})
    client.post(f"{FILES}move/", several | {"target": "", "tags": "late"})
    assert tree.ls() == ["/desk", "/notes"], "who pressed Enter in the tags moved nothing"
    assert queries.latest(tree.entry("/notes/a.md")).tags == ["harbour", "late", "settled"]
    for asked, said in ((several, "Say which directory"), ({"within": "/notes"}, "Nothing was chosen")):
        assert said in client.post(f"{FILES}move/", asked | {"target": ""}, follow=True).content.decode()
    client.post(f"{FILES}move/", several | {"target": "/desk"})
    assert tree.ls("/desk") == ["/desk/a.md", "/desk/b.md"]
    client.post(f"{FILES}describe/", {"path": "/desk/a.md", "summary": "First", "tags": "one"})
    assert tree.actions("/desk/a.md") == ["metadata", "move", "metadata", "metadata", "write"]
    page = client.post(f"{FILES}remove/", {"path": "/desk/a.md", "reason": "Old."}, follow=True).content.decode()
    assert "/desk/a.md is removed. It can be restored." in page
    [address] = re.findall(r'href="([^"]*removed=yes)"', page)
    gone = shown(client, html.unescape(address))
    assert "Old." in gone
    assert "It can be restored here" in shown(client, f"{FILES}?path=/desk/a.md")
    [file] = re.findall(r'name="file" value="([^"]+)"', gone)
    client.post(f"{FILES}restore/", {"path": "/desk/a.md", "file": file})
    assert "Nothing was removed from here" in shown(client, html.unescape(address))
    client.post(f"{FILES}restore/", {"path": "/desk/a.md", "version": "1"})
    assert tree.actions("/desk/a.md")[0] == "restore"
    refused = client.post(f"{FILES}move/", {"path": "/desk", "target": "/desk/x"}, follow=True).content.decode()
    assert "A directory cannot be moved into itself." in refused


def test_files_are_uploaded_each_by_itself_and_given_back_as_they_were(
    client: Any, tree: Tree, tmp_path: Path, settings: Any
) -> None:
    """F5: a page of markup that was sent is never shown as one of ours."""
    settings.STORAGES = settings.STORAGES | {
        "default": {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": tmp_path}}
    }
    page = b"<html><script>alert(1)</script>marlin</html>"
    sent = [
        SimpleUploadedFile("plan.pdf", pdf()),
        SimpleUploadedFile("../../notes.md", b"# Notes"),
        SimpleUploadedFile("page.html", page),
        SimpleUploadedFile("program.exe", b"MZ\x90\x00\x03\xff"),
    ]
    answer = client.post(f"{FILES}upload/", {"within": "/notes", "files": sent}, follow=True).content.decode()
    assert "program.exe: This is nothing that can be kept here." in answer
    assert "3 uploaded." in answer
    again = {"within": "/notes", "files": [SimpleUploadedFile("notes.md", b"# Other")]}
    assert (
        "notes.md: There is a file of that name" in client.post(f"{FILES}upload/", again, follow=True).content.decode()
    )
    assert tree.ls("/notes") == ["/notes/notes.md", "/notes/page.html", "/notes/plan.pdf"]
    back = client.get(f"{FILES}original/?path=/notes/page.html")
    assert back.content == page
    assert back["Content-Type"] == "application/octet-stream"
    assert back["Content-Disposition"].startswith("attachment;")
    assert client.get(f"{FILES}original/?path=/notes/notes.md").status_code == 404
    instead = {"path": "/notes/page.html", "lock": "1", "files": SimpleUploadedFile("b.csv", b"a,b")}
    assert "is among the versions" in client.post(f"{FILES}upload/", instead, follow=True).content.decode()
    stale = instead | {"files": SimpleUploadedFile("c.csv", b"c,d")}
    assert "changed meanwhile" in client.post(f"{FILES}upload/", stale, follow=True).content.decode()
    assert tree.actions("/notes/page.html") == ["attach", "attach"]


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "[x](javascript:alert(1))",
        "[x](data:text/html;base64,PHNjcmlwdD4=)",
        "![x](https://elsewhere.example/pixel.png)",
        "<a href='vbscript:x'>x</a>",
        '[x](https://a.example/"onmouseover="alert(1))',
        "<style>body{display:none}</style>",
    ],
)
def test_markdown_cannot_do_anything_to_the_page(text: str) -> None:
    made = str(rendered(text, "/notes/a.md", lambda path: f"/w/harbour/files/?path={path}"))
    tags = re.findall(r"<[^>]*>", made)
    assert not [one for one in tags if re.search(r"script|img|style|\son\w+=|javascript:|data:|vbscript:", one)], made


def test_an_administrator_rules_paths_on_the_page_of_an_agent(client: Any, tree: Tree, workspace: Any) -> None:
    from memoryapp.access.models import Agent
    from tests.api.calling import Caller

    caller = Caller(workspace, ["find-notes"], "Finder")
    tree.write("/people/a.md", "x")
    assert caller.get("files?path=/people").status_code == 200
    place = f"/w/harbour/paths/{caller.agent.actor_id}/"
    page = client.post(place, {"rules": "none /people\r\nread /notes", "default": "write"}, follow=True)
    assert "/people and all below it does not exist for it." in page.content.decode()
    assert "Rules of paths changed" in page.content.decode()
    assert caller.get("files?path=/people").status_code == 404
    wrong = client.post(place, {"rules": "nothing people", "default": "write"}, follow=True).content.decode()
    assert "Accepted: none, read, write." in wrong
    assert Agent.objects.get(pk=caller.agent.pk).path_rules == [["/people", "none"], ["/notes", "read"]]


def test_the_tree_at_the_side_is_open_where_one_is_and_each_directory_a_link(client: Any, tree: Tree) -> None:
    for path in ("/notes/harbour/north", "/notes/harbour/south", "/notes/law", "/projects/kestrel"):
        tree.mkdir(path)
    tree.write("/notes/harbour/berths.md", "x")
    page = shown(client, f"{FILES}?path=/notes/harbour/berths.md")
    side = page[page.index("data-tree") : page.index("files__main")]
    names = re.findall(r'branch__name"[^>]*>([^<]+)<', side)
    assert names == ["Files", "notes", "harbour", "north", "south", "law", "projects"]
    assert len(re.findall(r"aria-current", side)) == 1
    assert re.search(r'href="/w/harbour/files/\?path=%2Fnotes%2Fharbour"[^>]*data-holds[^>]*aria-current="page"', side)
    assert "kestrel" not in side
    assert "kestrel" in shown(client, f"{FILES}branch/?path=/projects")
    shown(client, f"{FILES}branch/?path=/nowhere", 404)


def test_a_level_of_many_directories_is_a_page_at_a_time_with_the_way_kept(client: Any, tree: Tree) -> None:
    tree.do(lambda write: placing.make_directories(write, ["/notes", *(f"/notes/{n:04}" for n in range(250))]))
    tree.mkdir("/notes/0199/deep")
    page = shown(client, f"{FILES}?path=/notes/0199/deep")
    side = page[page.index("data-tree") : page.index("files__main")]
    names = re.findall(r'branch__name"[^>]*>([^<]+)<', side)
    assert names == ["Files", "notes", *(f"{n:04}" for n in range(100)), "0199", "deep"]
    more = html.unescape(re.findall(r'data-more="([^"]+)"', side)[0])
    following = shown(client, more)
    assert re.findall(r'branch__name"[^>]*>([^<]+)<', following) == [f"{n:04}" for n in range(100, 200)]
    more = html.unescape(re.findall(r'data-more="([^"]+)"', following)[0])
    last = shown(client, more)
    assert re.findall(r'branch__name"[^>]*>([^<]+)<', last) == [f"{n:04}" for n in range(200, 250)]
    assert "data-more" not in last


def test_the_tree_holds_nothing_that_rules_hide(tree: Tree) -> None:
    """L1"""
    for path in ("/notes/private/a.md", "/notes/open/a.md", "/people/ines/a.md"):
        tree.write(path, "x")
    by = ruled(tree.by, "none /notes/private", "none /people")
    found = queries.branches(by, ["/", "/notes", "/people"], 10)
    assert [(one.path, one.holds) for one in found] == [("/notes", True), ("/notes/open", False)]
    assert [one.name for one in level(by, "/notes").nodes] == ["open"]
