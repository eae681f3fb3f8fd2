"""What a rule knows while it reads one turn, and how it turns a match into a proposal."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from memoryapp.extraction.proposals import Conversation, Mention, Moment, Participant, Proposal, Signal, Span, Turn
from memoryapp.extraction.rules import dates
from memoryapp.extraction.rules.patterns import pattern
from memoryapp.extraction.rules.ranges import said_range
from memoryapp.extraction.rules.sentences import Clause
from memoryapp.extraction.rules.voice import Voice

_TRAILING = pattern(
    r"(?i)[\s,;]+(?:please|thanks|thank you|though|tho|lol|haha+|tbh|to be honest|honestly|by the way"
    r"|btw|you know|ok|okay|right|"
    r"if (?:possible|you can|you could|you don't mind|you please|that's (?:ok|okay|alright|fine"
    r"|possible)|that works|you like)|"
    r"so much|as well|too)$"
)
CHANGE = pattern(
    r"(?i)\b(?:instead|from now on|going forward|any ?more|any longer|no longer|no more|from here on"
    r"|rather than|switch(?:ed)?|henceforth"
    r"|in future|in the future|as of|starting|is enough|are enough|now|nowadays|these days)\b"
)
_INSTEAD_OF = pattern(
    r"(?i)\b(?:instead of|rather than|and not|, not) (?:the |a |an |my |at |to"
    r" )?(?P<old>[\p{L}\p{N}][\p{L}\p{M}\p{N}' -]{0,60})"
)
_RANGE_START = ("from", "as of", "starting", "effective", "since")
_RANGE_END = ("until", "till", "til", "through")
TOOL_NAMES = {"tool": "Tool output", "system": "A system note", "assistant": "The assistant"}


@dataclass(slots=True)
class Reading:
    """One turn being read. `met` remembers what each name turned out to be earlier in the conversation: the predicate
    under which it was an object ("kestrel" -> "worksOn")."""

    turn: Turn
    voice: Voice
    owner: Participant
    people: dict[str, Participant]
    before: str = ""
    met: dict[str, str] = field(default_factory=dict)

    @property
    def first_person(self) -> bool:
        """Whether "I" in this turn is somebody we know: true in a user's turn only."""
        return self.turn.speaker == "user"

    @property
    def owners(self) -> tuple[str, ...]:
        return (self.owner.key,) if self.first_person and self.owner.key else ()

    @property
    def self_mention(self) -> Mention:
        return Mention(self.owner.name, "person", self.owner.key)

    def person(self, name: str) -> Mention:
        """A named person: the participant of that name, or the bare name."""
        known = self.people.get(name.casefold())
        return Mention(known.name, "person", known.key) if known else Mention(name, "person")

    def owners_of(self, mention: Mention) -> tuple[str, ...]:
        return (mention.key,) if mention.key else ()

    def propose(
        self,
        clause: Clause,
        *,
        rule: str,
        kind: str,
        content: str,
        confidence: int,
        words: str | None = None,
        signals: tuple[Signal, ...] = (),
        owners: tuple[str, ...] | None = None,
        ranged: bool = True,
        **shape: Any,
    ) -> Proposal:
        """The proposal for a clause (or for the leading part `words` of it), with dates of validity read from it."""
        quoted = tidy(words if words is not None else clause.text)
        start = clause.start
        found: dict[str, Any] = {}
        if ranged:
            found = {key: value for key, value in validity(clause, self.turn).items() if value and not shape.get(key)}
        said = [*signals]
        if clause.corrects:
            said.append("corrects")
        if clause.hedged:
            said.append("hedged")
        instead = _INSTEAD_OF.search(clause.text)
        if (
            instead
            and not shape.get("replaces")
            and ("corrects" in said or "instead" in instead.group().lower() or kind == "preference")
        ):
            shape["replaces"] = tidy(instead.group("old"))
        if shape.get("replaces") and "replaces" not in said:
            said.append("replaces")
        return Proposal(
            rule=rule,
            kind=kind,
            content=sentence(content),
            owners=self.owners if owners is None else owners,
            speaker=self.turn.speaker,
            span=Span(self.turn.id, start, start + len(quoted), self.turn.text[start : start + len(quoted)]),
            confidence=max(0, confidence - (15 if clause.hedged else 0)),
            signals=tuple(dict.fromkeys(said)),
            **(shape | found),
        )


def validity(clause: Clause, turn: Turn) -> dict[str, Moment | None]:
    """The interval a clause names: "from July", "as of Monday", "since 2019", "until June", "3 to 9 May"."""
    if (stretch := said_range(clause.text, turn)) is not None:
        return {"valid_from": stretch.since, "valid_to": stretch.until}
    found: dict[str, Moment | None] = {"valid_from": None, "valid_to": None}
    for said in dates.said_dates(clause.text, turn, past=False):
        if said.lead in _RANGE_START and found["valid_from"] is None:
            found["valid_from"] = said.moment
        elif said.lead in _RANGE_END and found["valid_to"] is None:
            found["valid_to"] = Moment(said.after, "day") if said.closing else said.moment
    start, end = found["valid_from"], found["valid_to"]
    if start and end and end.at <= start.at:
        return {"valid_from": None, "valid_to": None}
    return found


def tidy(words: str) -> str:
    """The words without what people add at the end: please, thanks, though; and without closing punctuation."""
    for _ in range(3):
        cut = _TRAILING.search(words)
        if cut is None or cut.start() == 0:
            break
        words = words[: cut.start()]
    return words.rstrip(" ,;:-")


def sentence(content: str) -> str:
    """One clean line: spaces collapsed, no trailing fillers, a capital at the start."""
    line = tidy(" ".join(content.split()))
    return line[:1].upper() + line[1:]


def readings(conversation: Conversation) -> "list[Reading]":
    """One reading a turn, in order."""
    by_key = {participant.key: participant for participant in conversation.participants}
    people = {participant.name.casefold(): participant for participant in conversation.participants if participant.name}
    for name in [name for name in people if " " in name]:
        first = name.split()[0]
        sharing = [other for other in people if other.split()[0] == first]
        if len(sharing) == 1:
            people[first] = people[name]
    met: dict[str, str] = {}
    found: list[Reading] = []
    before = ""
    for turn in conversation.turns:
        owner = _owner(turn, by_key)
        found.append(Reading(turn, Voice(owner.name, _listener(owner, conversation)), owner, people, before, met))
        before = turn.text[-600:]
    return found


def _owner(turn: Turn, by_key: dict[str, Participant]) -> Participant:
    if turn.speaker != "user":
        return Participant("", TOOL_NAMES.get(turn.speaker, "Tool output"), turn.speaker)
    known = by_key.get(turn.by)
    name = " ".join((known.name if known and known.name else turn.by_name or "").split()) or "The user"
    return Participant(turn.by, name, known.role if known else "user")


def _listener(owner: Participant, conversation: Conversation) -> str:
    others = [participant for participant in conversation.participants if participant.key != owner.key]
    if len(others) != 1:
        return ""
    return "the assistant" if others[0].role == "assistant" else others[0].name


Form = Callable[[Clause, Reading, Any], list[Proposal]]


def first_of(forms: Sequence[tuple[Any, Form]], clause: Clause, reading: Reading) -> list[Proposal]:
    """What the first form that matches the clause, and finds something in it, proposes."""
    for form_pattern, form in forms:
        found = form_pattern.match(clause.text)
        proposals = form(clause, reading, found) if found is not None else []
        if proposals:
            return proposals
    return []
