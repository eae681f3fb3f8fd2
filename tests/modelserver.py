"""A model's server for tests: real HTTP on a real socket, that answers as it is told, well or badly."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Reply:
    """One answer of the server: `pause` seconds before it, `drip` seconds between its bytes, `hang` for ever."""

    body: str | bytes = ""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    pause: float = 0.0
    drip: float = 0.0
    hang: bool = False


Thinks = Callable[[dict[str, Any]], Reply]


def completion(content: Any, *, finish: str = "stop", usage: tuple[int, int] | None = (100, 20)) -> Reply:
    """A chat completion in the usual form. A content that is no text is written as JSON."""
    text = content if isinstance(content, str) else json.dumps(content)
    told: dict[str, Any] = {
        "id": "one",
        "object": "chat.completion",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish}],
    }
    if usage:
        told["usage"] = {"prompt_tokens": usage[0], "completion_tokens": usage[1]}
    return Reply(json.dumps(told))


class ModelServer:
    """`replies` are given in turn; when there are none left, `thinks` is asked what to say."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.replies: list[Reply] = []
        self.thinks: Thinks = lambda asked: completion({"statements": []})
        self.over = threading.Event()
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def stop(self) -> None:
        self.over.set()
        self._server.shutdown()
        self._server.server_close()

    def _next(self, asked: dict[str, Any]) -> Reply:
        with self._lock:
            self.asked.append(asked)
            return self.replies.pop(0) if self.replies else self.thinks(asked)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_: Any) -> None:
                """Nothing is printed."""

            def do_POST(self) -> None:
                content = self.rfile.read(int(self.headers.get("Content-Length", "0")))
                server.headers.append(dict(self.headers))
                reply = server._next(json.loads(content) | {"path": self.path})
                if reply.hang:
                    server.over.wait(30)
                    return
                time.sleep(reply.pause)
                body = reply.body.encode() if isinstance(reply.body, str) else reply.body
                self.send_response(reply.status)
                for name, value in {"Content-Type": "application/json", **reply.headers}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                try:
                    self._send(body, reply.drip)
                except OSError:
                    return

            def _send(self, body: bytes, drip: float) -> None:
                if not drip:
                    self.wfile.write(body)
                    return
                for at in range(len(body)):
                    self.wfile.write(body[at : at + 1])
                    self.wfile.flush()
                    if server.over.wait(drip):
                        return

        return Handler


def shown(asked: dict[str, Any]) -> list[dict[str, Any]]:
    """The turns that a request showed to the model."""
    return [json.loads(line) for line in asked["messages"][1]["content"].split("\n")]


def embeddings(*vectors: list[float], usage: int | None = 7, numbered: bool = True, **more: Any) -> Reply:
    """A list of embeddings in the usual form, in order."""
    data = [
        {"object": "embedding", "embedding": vector} | ({"index": place} if numbered else {})
        for place, vector in enumerate(vectors)
    ]
    told: dict[str, Any] = {"object": "list", "data": data}
    if usage is not None:
        told["usage"] = {"prompt_tokens": usage, "total_tokens": usage}
    return Reply(json.dumps(told), **more)


def by_meaning(meanings: dict[str, list[float]], otherwise: list[float]) -> Thinks:
    """An embedder to which a text means what the first of these words in it means."""

    def think(asked: dict[str, Any]) -> Reply:
        vectors = [
            next((vector for word, vector in meanings.items() if word in text.lower()), otherwise)
            for text in asked["input"]
        ]
        return embeddings(*vectors)

    return think
