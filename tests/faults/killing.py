"""Tells and decides while processes are killed, and says afterwards what is not as it must be.

The kills come from a seed: at which request, how long after it was sent, and whom. What the product answered is written
down; what it remembers is read from a dump, and the two are held against each other.
"""

from __future__ import annotations

import contextlib
import http.client
import itertools
import json
import os
import random
import re
import signal
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from collections import Counter, defaultdict
from http.cookiejar import CookieJar
from typing import Any

from tests.house.running import Running, alive

ROLES = (("web",), ("worker",), ("web", "worker"))
VERDICTS = ("newer_replaces", "older_stands", "not_a_conflict")
PERSON, TOLD = "Person", "told"
PATIENCE = 240.0
Memory = dict[str, list[dict[str, Any]]]


_numbers = itertools.count()


def fresh() -> dict[str, Any]:
    """A conversation that nobody has told: somebody changes their mind between March and June, which is a conflict."""
    number = next(_numbers)
    said = (
        ("2026-03-02T09:15:00+00:00", "I prefer weekly status emails."),
        ("2026-06-01T10:00:00+00:00", "A monthly summary is enough from now on."),
    )
    who = {"key": "who", "role": "user", "name": f"{PERSON} {number}", "identity": {"email": f"p{number}@quay.example"}}
    return {
        "thread": {"external_id": f"{TOLD}-{number}"},
        "participants": [who],
        "turns": [
            {"message_id": f"{number}-{at}", "speaker": "user", "by": "who", "said_at": when, "content": words}
            for at, (when, words) in enumerate(said)
        ],
    }


class Killer:
    """Kills processes of a running product outright, at moments that a seed chooses."""

    def __init__(self, product: Running, seed: int, requests: int, kills: int) -> None:
        chance = random.Random(seed)
        self.product = product
        self.plan = {at: (chance.uniform(0, 0.4), chance.choice(ROLES)) for at in chance.sample(range(requests), kills)}
        self.killed: Counter[str] = Counter()
        self._at_work: list[threading.Thread] = []

    def request(self, number: int) -> None:
        """Called before each request: what the plan says of it is done a moment later."""
        if number in self.plan:
            delay, roles = self.plan[number]
            act = threading.Thread(target=self._kill, args=(delay, roles))
            act.start()
            self._at_work.append(act)

    def rest(self) -> None:
        """Wait until everything planned is done and whoever was killed runs again."""
        for act in self._at_work:
            act.join()
        self.product.wait_for(
            lambda: all(alive(pid) for pid in self.product.children().values()) and self.product.answers("/healthz"),
            "everything to run again",
        )

    def _kill(self, delay: float, roles: tuple[str, ...]) -> None:
        time.sleep(delay)
        for role in roles:
            pid = self.product.children()[role]
            if alive(pid):
                os.kill(pid, signal.SIGKILL)
                self.killed[role] += 1


class Browser:
    """The administrator in a browser that knows forms and cookies, and tries again when nobody answers."""

    def __init__(self, product: Running) -> None:
        self.product = product
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
        name = {"username": "admin", "password": product.password, "next": "/preferences/"}
        self.post("/sign-in/", name, form=self.get("/sign-in/"))

    def get(self, path: str) -> str:
        """The page, asked for until there is one."""
        return self._send(path, None)[1]

    def look(self, path: str) -> tuple[int, str]:
        """What is answered now: status and page."""
        return self._once(path, None)

    def post(self, path: str, fields: dict[str, str], *, form: str) -> int | None:
        """Send a form once, with what its page `form` hides in it. The status, or None when nobody answered."""
        hidden = dict(re.findall(r'name="(csrfmiddlewaretoken|lock)" value="(\w+)"', form))
        content = urllib.parse.urlencode(hidden | fields).encode()
        try:
            return self._once(path, content)[0]
        except (OSError, http.client.HTTPException):
            return None

    def _send(self, path: str, content: bytes | None) -> tuple[int, str]:
        until = time.monotonic() + PATIENCE
        while True:
            try:
                status, words = self._once(path, content)
                if status < 500:
                    return status, words
            except (OSError, http.client.HTTPException):
                status = 0
            assert time.monotonic() < until, (path, status)
            time.sleep(0.1)

    def _once(self, path: str, content: bytes | None) -> tuple[int, str]:
        request = urllib.request.Request(self.product.url + path, content, {"Referer": self.product.url + "/"})
        try:
            with self.opener.open(request, timeout=60) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()


def tell(product: Running, body: dict[str, Any]) -> dict[str, Any]:
    """Tell a conversation until it is acknowledged. Whatever else is answered must be a connection lost, or 503."""
    key = uuid.uuid4().hex
    until = time.monotonic() + PATIENCE
    while True:
        status: int | None = None
        answer: Any = None
        with contextlib.suppress(OSError, http.client.HTTPException, json.JSONDecodeError):
            status, answer = product.ask("POST", "/api/v1/conversations", body, Idempotency_Key=key)
        if status == 202:
            return dict(answer)
        assert status in (None, 503), (status, answer)
        assert time.monotonic() < until, "Nobody takes what is told."
        time.sleep(0.1)


def tell_under_fire(product: Running, *, seed: int, conversations: int, kills: int) -> tuple[Counter[str], list[str]]:
    """Tell all of it while processes are killed. Whom, how often; and the turns that were acknowledged."""
    killer = Killer(product, seed, conversations, kills)
    acknowledged: list[str] = []
    for number in range(conversations):
        killer.request(number)
        body = fresh()
        tell(product, body)
        acknowledged += turns_of(body)
    killer.rest()
    return killer.killed, acknowledged


def decide_under_fire(
    product: Running, cases: list[str], *, seed: int, kills: int
) -> tuple[Counter[str], dict[str, str]]:
    """Decide these cases while processes are killed. Whom, how often; and the verdicts that were acknowledged."""
    chance = random.Random(seed)
    browser = Browser(product)
    killer = Killer(product, seed, len(cases), min(kills, len(cases)))
    acknowledged: dict[str, str] = {}
    for number, case in enumerate(cases):
        page = f"/w/harbour/queue/{case}/"
        verdict, form = chance.choice(VERDICTS), browser.get(page)
        killer.request(number)
        status = browser.post(f"{page}decide/", {"verdict": verdict}, form=form)
        assert status in (None, 200, 503), (status, verdict)
        if status == 200:
            acknowledged[case] = verdict
    killer.rest()
    return killer.killed, acknowledged


def wait_for_every_job(product: Running) -> None:
    """Wait until every job has reached an end."""

    def ended() -> bool:
        return not any(product.ask("GET", f"/api/v1/jobs?state={state}")[1]["items"] for state in ("queued", "running"))

    product.wait_for(ended, "every job to end")


def memory(product: Running) -> Memory:
    """Every row of the workspace, by table."""
    rows: Memory = defaultdict(list)
    for line in product.command("dump", "harbour").splitlines():
        table, row = json.loads(line)
        rows[table].append(row)
    return rows


def open_conflicts(rows: Memory) -> list[str]:
    return [row["id"] for row in rows["review.case"] if row["kind"] == "belief_conflict" and row["state"] == "open"]


def turns_of(*told: dict[str, Any]) -> list[str]:
    return [turn["message_id"] for body in told for turn in body["turns"]]


def told_whole(rows: Memory, *told: dict[str, Any]) -> None:
    assert what_is_wrong_with_what_was_told(rows, turns_of(*told)) == []


def what_is_wrong_with_what_was_told(rows: Memory, acknowledged: list[str]) -> list[str]:
    """Every acknowledged turn is there once, every job ended well, no belief is there twice and none is missing."""
    wrong = []
    turns = Counter(row["message_id"] for row in rows["sources.source"])
    wrong += [f"turn {each} is there {turns[each]} times" for each in acknowledged if turns[each] != 1]
    wrong += [
        f"job {row['id']} {row['state']}: {row['error']}" for row in rows["ledger.job"] if row["state"] != "succeeded"
    ]
    open_tries = [row["job"] for row in rows["ledger.jobattempt"] if row["ended_at"] is None]
    wrong += [f"an attempt at job {each} never ended" for each in open_tries]
    beliefs = Counter(row["statement"] for row in rows["graph.belief"])
    wrong += [f"belief {each} is there {times} times" for each, times in beliefs.items() if times > 1]
    people = [row for row in rows["graph.node"] if row["label"].startswith(PERSON)]
    conversations = sum(row["external_id"].startswith(TOLD) for row in rows["sources.thread"])
    about_emails = [row for row in rows["graph.belief"] if re.search("status emails|monthly summary", row["content"])]
    if len(about_emails) != 2 * conversations:
        wrong.append(f"{len(about_emails)} preferences, not {2 * conversations}")
    if len(people) != conversations:
        wrong.append(f"{len(people)} people, not {conversations}")
    return wrong


def what_is_wrong_with_what_was_decided(rows: Memory, acknowledged: dict[str, str]) -> list[str]:
    """Every acknowledged verdict stands, and each that stands is carried out whole and once: decision, case and both
    beliefs."""
    decided_on = Counter(row["case"] for row in rows["review.decision"])
    wrong = [f"case {id} has {times} decisions" for id, times in decided_on.items() if times > 1]
    decisions = {row["case"]: row for row in rows["review.decision"]}
    beliefs = {row["id"]: row for row in rows["graph.belief"]}
    claims: dict[str, dict[str, str]] = defaultdict(dict)
    for row in rows["review.casesubject"]:
        claims[row["case"]][row["role"]] = row["subject_id"]
    superseded = Counter(
        row["belief"]
        for row in rows["graph.relationplayer"]
        if row["kind"] == "supersession" and row["role"] == "superseded"
    )
    wrong += [f"belief {id} is superseded {times} times" for id, times in superseded.items() if times > 1]
    for decided, verdict in acknowledged.items():
        if decided not in decisions or decisions[decided]["verdict"] != verdict:
            wrong.append(f"case {decided} was acknowledged as {verdict} and is {decisions.get(decided)}")
    for case in rows["review.case"]:
        decision = decisions.get(case["id"])
        if (case["state"] == "decided") != (decision is not None):
            wrong.append(f"case {case['id']} is {case['state']} with decision {decision}")
        elif case["kind"] == "belief_conflict" and decision is not None:
            sides = {role: beliefs[id] for role, id in claims[case["id"]].items() if id in beliefs}
            waiting = [role for role, side in sides.items() if side["status"] == "resolving"]
            if waiting:
                wrong.append(f"case {case['id']} is decided and {waiting} waits")
            replaced = any(id in superseded for id in claims[case["id"]].values())
            if replaced != (decision["verdict"] == "newer_replaces"):
                wrong.append(f"case {case['id']}: {decision['verdict']}, superseded: {replaced}")
    return wrong
