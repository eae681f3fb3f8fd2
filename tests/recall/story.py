"""Ines and her status emails, told over REST: every week in March, a monthly summary in June, and a person decides."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.review import services as review
from memoryapp.review.models import Case
from tests.api.calling import Caller
from tests.api.telling import conversation, said

WEEKLY = said("Status emails: every week on Fridays is our rhythm.", "2026-03-02T09:15:00-05:00", "m-1")
MONTHLY = said("As for status emails, the monthly summary does the job.", "2026-06-01T10:00:00-05:00", "m-9")
SMALL_TALK = said("The harbour was grey this morning.", "2026-04-20T10:00:00-05:00", "m-5")

WANTS_WEEKLY = "Ines wants status emails every week"
WANTS_MONTHLY = "Ines finds a monthly summary enough for status emails"


def learned(message: str, quote: str, content: str) -> dict[str, Any]:
    """What the agent makes of a turn."""
    return {"message_id": message, "quote": quote, "kind": "preference", "topic": "status emails", "content": content}


MARCH = learned("m-1", "every week on Fridays", WANTS_WEEKLY)
JUNE = learned("m-9", "the monthly summary does the job", WANTS_MONTHLY)


class Story:
    """The story so far, and how it goes on."""

    def __init__(self, agent: Caller, reviewer: Principal, work: Callable[[], int]) -> None:
        self.agent, self.reviewer, self.work = agent, reviewer, work

    def tell(self, *turns: dict[str, Any], candidates: tuple[dict[str, Any], ...] = ()) -> dict[str, Any]:
        body = conversation(*turns, external_id="reports", candidates=list(candidates))
        answer = self.agent.post("conversations", body | {"thread": {"external_id": "reports", "title": "Reports"}})
        assert answer.status_code in (200, 202), answer.json()
        self.work()
        told: dict[str, Any] = answer.json()
        return told

    def until_june(self) -> None:
        self.tell(WEEKLY, SMALL_TALK, candidates=(MARCH,))
        self.tell(WEEKLY, SMALL_TALK, MONTHLY, candidates=(JUNE,))

    def decide(self, verdict: str = "newer_replaces") -> None:
        """A person settles every open conflict."""
        for case in Case.objects.filter(kind="belief_conflict", state="open"):
            act = lambda write, case=case: review.decide(write, case.pk, lock=case.lock, verdict=verdict, edits={})  # noqa: E731
            record(self.reviewer, "decide", act, "She said so.")

    def recall(self, question: str, **asked: Any) -> dict[str, Any]:
        answer = self.agent.post("recall", {"question": question} | asked)
        assert answer.status_code == 200, answer.json()
        found: dict[str, Any] = answer.json()
        return found

    def texts(self, question: str, **asked: Any) -> list[str]:
        """What is served, but for nodes and what they are reached by."""
        hits = self.recall(question, **asked)["hits"]
        return [hit["text"] for hit in hits if hit["what"] != "node" and hit.get("belief", {}).get("kind") != "fact"]
