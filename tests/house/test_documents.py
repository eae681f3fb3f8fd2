"""Every command that the documents write is one that runs, in the order they give it."""

from __future__ import annotations

import io
import os
import re
import shlex
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from django.core.management import call_command, get_commands, load_command_class

from memoryapp.ledger.models import Workspace
from memoryapp.ledger.principal import Principal
from memoryapp.ontology.queries import current_ontology
from tests.graph.nodes.telling import Graph
from tests.house.running import ROOT

DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
IN_A_BLOCK = re.compile(r"^(?: {4}|\$ )?(?:python )?manage\.py (.+)$", re.MULTILINE)
IN_A_LINE = re.compile(r"`(?:\S*python )?manage\.py ([^`]+)`")
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
OURS = {"memoryapp", "formsengine", "bench"}


def commands(document: Path, pattern: re.Pattern[str]) -> list[list[str]]:
    """The words of each command of a document, without comments."""
    return [shlex.split(found, comments=True) for found in pattern.findall(document.read_text(encoding="utf-8"))]


def test_every_command_exists_and_takes_what_it_is_given() -> None:
    known = get_commands()
    seen = set()
    for document in DOCUMENTS:
        for pattern in (IN_A_BLOCK, IN_A_LINE):
            for name, *words in commands(document, pattern):
                seen.add(name)
                assert name in known, (document.name, name)
                parser = load_command_class(known[name], name).create_parser("manage.py", name)
                flags = {flag for action in parser._actions for flag in action.option_strings}
                assert {word for word in words if word.startswith("--")} <= flags, (document.name, name, words)
    assert {"up", "migrate", "issue_key", "bind_reader", "rule_paths", "dump", "erase", "propose_ontology"} <= seen


def test_what_the_product_stands_on_is_written_down() -> None:
    """Each pinned package has a row that says what it is for, who keeps it and under which licence."""
    pinned = re.findall(r"^([\w-]+)(?:\[[\w,]+\])?==", (ROOT / "requirements.txt").read_text(), re.MULTILINE)
    rows = (ROOT / "docs/decisions/0005-what-it-stands-on.md").read_text(encoding="utf-8").splitlines()
    named = {name for row in rows if row.startswith("| `") for name in re.findall(r"`([\w-]+)`", row.split("|")[1])}
    assert len(pinned) > 20
    assert set(pinned) - named == set()


def test_every_target_of_make_every_module_and_every_link_exists() -> None:
    for document in DOCUMENTS:
        text = document.read_text(encoding="utf-8")
        for target in re.findall(r"(?:`|^\$ )make ([a-z-]+)", text, re.MULTILINE):
            assert target in TARGETS, (document.name, target)
        for module in re.findall(r"python -m ([a-z_.]+)", text):
            assert module.split(".")[0] not in OURS or find_spec(module), (document.name, module)
        for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
            assert (document.parent / link).exists(), (document.name, link)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("document", ["access.md", "ontology.md"])
def test_the_commands_of_a_document_run_one_after_the_other(
    document: str, workspace: Workspace, operator: Principal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Graph(operator).node("person", name="Ines Ferro", email="ines@ferro.example")
    (tmp_path / "types.yaml").write_text(current_ontology(operator).document.as_yaml(), encoding="utf-8")
    written = (ROOT / "docs" / document).read_text(encoding="utf-8")
    in_python = re.findall(r"^```python\n(.*?)^```$", written, re.M | re.S)
    (tmp_path / "harbour_types.py").write_text("\n".join(in_python), encoding="utf-8")
    prefix = ""
    ran = commands(ROOT / "docs" / document, IN_A_BLOCK)
    assert len(ran) > 1
    for name, *words in ran:
        said = io.StringIO()
        call_command(name, *[prefix if word == "<prefix>" else word for word in words], stdout=said)
        prefix = (re.findall(r"cpl_[a-z0-9]+", said.getvalue()) or [prefix])[-1]


@pytest.mark.slow
def test_a_workspace_is_moved_as_the_document_says(empty_database: Path, tmp_path: Path) -> None:
    (block,) = [
        found
        for found in re.findall(r"^```console\n(.*?)^```$", (ROOT / "docs" / "operating.md").read_text(), re.M | re.S)
        if "restore" in found
    ]
    (tmp_path / "manage.py").symlink_to(ROOT / "manage.py")
    told = os.environ | {
        "DATABASE_URL": f"sqlite:///{shutil.copy(empty_database, tmp_path)}",
        "DEBUG": "1",
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
    }
    told.pop("DJANGO_SETTINGS_MODULE", None)
    lines = ["set -eu", "python manage.py create_workspace harbour"]
    lines += [line.removeprefix("$ ") for line in block.splitlines()]
    done = subprocess.run(
        ["bash", "-c", "\n".join(lines)],
        cwd=tmp_path,
        env=told,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    digests = re.findall(r"digest ([0-9a-f]{64})", done.stdout + done.stderr)
    assert len(digests) == 2
    assert len(set(digests)) == 1
