"""The official client against the running product, over HTTP and over stdio."""

from __future__ import annotations

import asyncio
import http.client
import json
import re
import subprocess
import sys
import uuid
from collections.abc import Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from tests.house.running import ROOT, Running
from tests.kept_schema import copy_to
from tests.mcp.test_tools import GREY

pytestmark = pytest.mark.slow

LISTING = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}})
ACCEPTED = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}


@pytest.fixture(scope="module")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """The whole product with an administrator, the demonstration and the first agent's key."""
    product = Running(tmp_path_factory.mktemp("product"))
    copy_to(product.database)
    product.start()
    yield product
    product.stop()


def spoken(conversation: Coroutine[Any, Any, None]) -> None:
    """Run it on a thread of its own: a browser of the same session may keep an event loop in this one."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, conversation).result()


def send(product: Running, body: str | bytes = LISTING, verb: str = "POST", **headers: str) -> tuple[int, Any, Any]:
    """One bare request to the tool server: status, headers and parsed answer. Header names with underscores."""
    connection = http.client.HTTPConnection("127.0.0.1", product.port, timeout=60)
    sent = ACCEPTED | {"Authorization": f"Bearer {product.key}"}
    sent |= {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request(verb, "/mcp", body, {name: value for name, value in sent.items() if value})
    answer = connection.getresponse()
    content = answer.read()
    connection.close()
    try:
        return answer.status, answer.headers, json.loads(content)
    except ValueError:
        return answer.status, answer.headers, content


def test_the_official_client_lists_remembers_recalls_and_reads_a_refusal_over_http(product: Running) -> None:
    async def speak() -> None:
        headers = {"Authorization": f"Bearer {product.key}", "X-Request-ID": "trace-over-http"}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=60) as web,
            Client(streamable_http_client(f"{product.url}/mcp", http_client=web)) as agent,
        ):
            names = {tool.name for tool in (await agent.list_tools()).tools}
            assert {"memory_remember", "memory_recall", "memory_why", "memory_current", "brief"} <= names
            stored = await agent.call_tool("memory_remember", {"items": [GREY | {"owners": []}]})
            assert not stored.is_error, stored.content
            belief = stored.structured_content["items"][0]["belief"]
            recalled = await agent.call_tool("memory_recall", {"question": "the pier painted grey"})
            assert belief["id"] in {hit["id"] for hit in recalled.structured_content["hits"]}
            assert recalled.meta
            assert recalled.meta["commonplace"]["trace"] == "trace-over-http"
            refused = await agent.call_tool("memory_recall", {"question": 7})
            assert refused.is_error
            assert "/question" in str(refused.content)
            many = [agent.call_tool("memory_current", {"page_size": 1}) for _ in range(10)]
            assert not any(one.is_error for one in await asyncio.gather(*many))

    spoken(speak())


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_official_client_speaks_over_stdio_and_stdout_carries_the_protocol_alone(
    product: Running, mode: str
) -> None:
    """Case 127: in the protocol of today and in the one before.

    R22: what a tool refuses is a result; whatever is logged goes to standard error."""
    server = StdioServerParameters(
        command=sys.executable,
        args=[str(ROOT / "manage.py"), "mcp_stdio"],
        env=product.environment | {"COMMONPLACE_KEY": product.key},
    )

    async def speak() -> None:
        async with Client(stdio_client(server), mode=mode) as agent:
            names = {tool.name for tool in (await agent.list_tools()).tools}
            assert "memory_recall" in names
            recalled = await agent.call_tool("memory_recall", {"question": "status emails"})
            assert recalled.structured_content["workspace"]
            refused = await agent.call_tool("memory_why", {"thing_id": str(uuid.uuid4())})
            assert (refused.is_error, refused.structured_content["status"]) == (True, 404)

    spoken(speak())


def test_over_stdio_a_key_that_opens_nothing_ends_it_with_a_sentence(product: Running) -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", "mcp_stdio"],
        cwd=ROOT,
        env=product.environment | {"COMMONPLACE_KEY": "cpl_nothing"},
        input=LISTING,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 1
    assert done.stdout == ""
    assert "COMMONPLACE_KEY" in done.stderr
    assert "Traceback" not in done.stderr


def test_without_a_key_the_door_stays_shut(product: Running) -> None:
    """L4: 401 before the protocol is spoken, whatever is asked."""
    for key in ("", "Bearer cpl_wrong", "Basic YTpi"):
        status, headers, problem = send(product, Authorization=key)
        assert (status, problem["status"]) == (401, 401)
        assert headers["WWW-Authenticate"].startswith("Bearer")


def test_pages_of_other_sites_and_hosts_that_are_not_ours_are_turned_away(product: Running) -> None:
    """A page that a person visits cannot have their browser speak to a memory on their machine, by any name."""
    assert send(product, Origin="https://elsewhere.example")[0] == 403
    assert send(product, Origin="null")[0] == 403
    assert send(product, Origin=product.url)[0] == 200
    assert send(product, Host="elsewhere.example")[0] == 400
    assert send(product, Host=f"rebound.example:{product.port}")[0] == 400


def test_what_is_no_call_is_refused_and_breaks_nothing(product: Running) -> None:
    assert send(product, verb="GET", body=b"")[0] == 405
    assert send(product, verb="DELETE", body=b"")[0] == 405
    assert send(product, "{")[0] == 400
    assert send(product, "[" * 100_000)[0] == 400
    assert send(product, b"\xff\xfe")[0] == 400
    assert send(product, "a" * (9 * 1024 * 1024))[0] == 413
    assert send(product, Content_Type="text/plain")[0] in (400, 415)
    unknown = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "no_such_tool"}})
    assert "error" in send(product, unknown)[2]
    assert send(product)[0] == 200
    assert "Traceback" not in product.printed


def test_the_trace_of_a_call_is_in_the_answer_and_in_the_log(product: Running) -> None:
    asked = {"name": "memory_recall", "arguments": {"question": "status emails"}}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": asked})
    status, headers, answer = send(product, body, X_Request_ID="trace-of-mine")
    assert (status, headers["Commonplace-Trace"]) == (200, "trace-of-mine")
    assert answer["result"]["_meta"]["commonplace"]["trace"] == "trace-of-mine"
    lines = [line for line in product.printed.splitlines() if "tool_called" in line]
    assert any("trace-of-mine" in line and "memory_recall" in line for line in lines)
    assert not any("status emails" in line for line in lines)


def test_the_program_of_the_guide_runs_as_written(product: Running, tmp_path: Path) -> None:
    [program] = re.findall(r"^```python\n(.*?)^```$", (ROOT / "docs" / "mcp.md").read_text(), re.MULTILINE | re.DOTALL)
    (tmp_path / "agent.py").write_text(program)
    done = subprocess.run(
        [sys.executable, str(tmp_path / "agent.py")],
        env=product.environment | {"KEY": product.key, "COMMONPLACE_MCP": f"{product.url}/mcp"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "memory_remember - Remember" in done.stdout
