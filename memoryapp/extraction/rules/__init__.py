"""The built-in extraction rules: what can be taken from plain English by pattern, and nothing else.

Deterministic, no model, no input or output. Every expression is matched in linear time (RE2) and every clause is
bounded, so the cost of a transcript grows with its length alone. The reach is small and honest: a rule that is unsure
stays silent, because a person must be able to trust what is put before them.
"""

from collections.abc import Callable
from dataclasses import replace

from memoryapp.extraction.proposals import Conversation, Proposal
from memoryapp.extraction.rules import (
    arrangements,
    commitments,
    contacts,
    decisions,
    experiences,
    homes,
    preferences,
    roles,
    work,
)
from memoryapp.extraction.rules.patterns import pattern
from memoryapp.extraction.rules.reading import Reading, readings
from memoryapp.extraction.rules.sentences import Clause, clauses

VERSION = "2"
_Family = Callable[[Clause, Reading], list[Proposal]]
_NEEDS = {
    name: pattern("(?i)" + words)
    for name, words in {
        "contact": r"[@\d]|\b(?:address|zone|birthday|born)\b",
        "decision": r"\b(?:decid|decision|agreed|chose|settle|opted|resolved|picked|selected|adopt|went|gone|voted"
        r"|signed|concluded|ruled|scrapped|dropped|ended"
        r"|going|go|us(?:e|ing)|stick|switch)",
        "commitment": r"(?:'ll|\b(?:will|shall|going|promise|commit|needs?|have|has|got|must|owe|remind|forget|reminder"
        r"|due|deadline|agreed))\b",
        "arrangement": r"\b(?:until|till|from|as of|starting|effective|since|through|years?|months?)\b|^(?:the|our"
        r"|my)\b.*\b(?:at|to|on|every|for)\b|\b(?:closed|shut|open|away|off|out|leave|holiday|vacation"
        r"|unavailable|travell?ing|abroad)\b.*\d",
        "work": r"(?:'m|'s|'ve|\b(?:i|is|am|are|was|became|become|works?|work\p{L}+|join\p{L}*|start\p{L}*|got"
        r"|moved|left|quit|runs?|leads?|heads?|manag\p{L}+|owns?|\p{L}*founded"
        r"|chairs?|took|takes|has|my|resigned|retired|transferred|switched|promoted|appointed|reassigned"
        r"|no longer|leaving|coordinates))\b",
        "home": r"\b(?:li(?:ve|ves|ving|ved)|resid\p{L}+|based|located|mov(?:e|es|ed|ing)|relocat\p{L}+|settled"
        r"|been)\b",
    }.items()
}
_FAMILIES: tuple[tuple[str, _Family], ...] = (
    ("contact", contacts.find),
    ("decision", decisions.find),
    ("commitment", commitments.find),
    ("arrangement", arrangements.find),
    ("work", work.find),
    ("work", roles.find),
    ("home", homes.find),
    ("preference", preferences.find),
    ("experience", experiences.find),
)


def extract(conversation: Conversation) -> list[Proposal]:
    """What the conversation states, in the order it was said. One statement gives one proposal: the first family that
    recognises a clause has it. An assistant's turn yields nothing; a tool's or the system's what needs no "I"."""
    found: list[Proposal] = []
    for reading in readings(conversation):
        if reading.turn.speaker != "assistant":
            found.extend(_read(reading))
    return found


def _read(reading: Reading) -> list[Proposal]:
    found: dict[tuple[str, str, str], Proposal] = {}
    for clause in clauses(reading.turn):
        if clause.barred:
            continue
        for proposal in _first(clause, reading):
            found.setdefault((proposal.kind, proposal.predicate, proposal.content.casefold()), _checked(proposal))
    return _settled(list(found.values()))


def _settled(found: list[Proposal]) -> list[Proposal]:
    """ "I need no weekly e-mails any more, a monthly summary will do" says one thing: what is wanted instead
    stands, and what it puts aside in the same breath is no statement of its own."""
    kept: list[Proposal] = []
    for proposal in found:
        last = kept[-1] if kept else None
        if (
            last
            and proposal.topic
            and (last.kind, last.topic, last.owners) == (proposal.kind, proposal.topic, proposal.owners)
        ):
            if "negates" in last.signals and "negates" not in proposal.signals:
                signals = tuple(dict.fromkeys((*proposal.signals, "replaces")))
                kept[-1] = replace(proposal, signals=signals)
                continue
            if "negates" in proposal.signals and "negates" not in last.signals:
                kept[-1] = replace(last, signals=tuple(dict.fromkeys((*last.signals, "replaces"))))
                continue
        kept.append(proposal)
    return kept


def _first(clause: Clause, reading: Reading) -> list[Proposal]:
    for name, find in _FAMILIES:
        if name in _NEEDS and _NEEDS[name].search(clause.text) is None:
            continue
        found = find(clause, reading)
        if found:
            return found
    return []


def _checked(proposal: Proposal) -> Proposal:
    """A statement that already ended when it was said is one that ends, not one that begins."""
    start, end = proposal.valid_from, proposal.valid_to
    if start and end and end.at <= start.at:
        return replace(proposal, valid_to=None)
    return proposal
