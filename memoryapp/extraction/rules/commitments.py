"""What somebody undertook to do and by when, and what they asked to be reminded of. A plan without a date is none."""

from datetime import timedelta

from memoryapp.extraction.proposals import Mention, Moment, Proposal, Signal
from memoryapp.extraction.rules import dates
from memoryapp.extraction.rules.dates import Said
from memoryapp.extraction.rules.patterns import pattern, words
from memoryapp.extraction.rules.reading import Reading
from memoryapp.extraction.rules.sentences import Clause

_NAME = r"\p{Lu}[\p{L}\p{M}'-]+(?: \p{Lu}[\p{L}\p{M}'-]+){0,2}"
_WILL = pattern(
    r"(?i)^(?P<who>i|we)(?P<how>'ll| will| shall|'m going to| am going to|'re going to| are going to|"
    r" promise to| commit to|'ve promised to| have promised to|'ve agreed to| have agreed to"
    r"| need to| have to|'ve got to| must| promised to| owe [\p{L}]+)(?: (?:also|definitely|then"
    r"|certainly|make sure to|be sure to|personally|just|now))* (?P<verb>[\p{L}-]+)(?P<rest>.*)$"
)
_THEY = pattern(
    r"^(?P<who>" + _NAME + r")(?: will|'ll| promised to| has promised to| agreed to| must| needs to| has to)"
    r" (?P<verb>[\p{Ll}-]+)(?P<rest>.*)$"
)
_REMIND = pattern(
    r"(?i)^(?:please |could you |can you |would you |will you |do )*(?:please )?(?:remind me|don't"
    r" let me forget|set (?:me )?a reminder|remind us)(?P<rest> (?:to|about|of|for|on|in|at|tomorrow"
    r"|next|by|every|before)\b.*)$"
)
_SAYING = pattern(
    r"(?i)^ (?:to|about|of) (?:stop and|smell|keep going|slow down|stay|appreciate|be\b|enjoy|believe"
    r"|breathe|never|always|live)"
)
_JOINED = pattern(r"(?i)\b(?:and|to|that|which|who|they|it|things?)\s*$|\b(?:and|or)\s+$")
_DUE = pattern(
    r"(?i)^(?P<what>(?:the|my|our) [\p{L}\p{N}][\p{L}\p{N}' -]{1,60}?) (?:is|are|'s) (?:now )?due"
    r" (?P<when>.+)$|^(?:the|my|our) deadline (?:for (?P<for>.{2,60}?) )?is (?:now )?(?P<when2>.+)$"
)
_STATIVE = words(
    "see miss love like think remember never always probably feel want know hope wish believe need"
    " try look wait let keep admit say stop die be not continue start always stay catch enjoy check"
)
_LETTING = pattern(r"(?i)^ (?:you|me|them|him|her) (?:know|have)\b")
_READY = pattern(r"(?i)^ .+ (?:ready|done|finished|sent|fixed|over|back|signed|out)\b")
_NOT_NAMES = words(
    "They He She It This That You Who Someone Everyone Nobody People There What Which Something Everything We I"
)
_DUE_LEADS = ("by", "before", "until", "due", "till", "no later than")
_DELIVERS = words(
    "send deliver finish submit call ring email mail write pay return review prepare draft fix book"
    " order post publish share confirm sign update complete ship bring collect present upload"
    " provide file print transfer invoice reply answer forward schedule arrange organise organize"
    " hand get give make do have phone text install deploy release test check translate renew cancel"
    " set move meet pick drop tell let"
)


def find(clause: Clause, reading: Reading) -> list[Proposal]:
    """One commitment a clause at most; its due time is in `due` and in `attributes["due_at"]`."""
    if reading.first_person:
        remind = _REMIND.match(clause.text)
        if remind is not None and not _JOINED.search(clause.before) and not _SAYING.match(remind.group("rest")):
            return [_reminder(clause, reading, remind.group("rest"))]
    if clause.asking:
        return []
    for form in (_own, _named, _deadline):
        found = form(clause, reading)
        if found is not None:
            return [found]
    return []


def _due(clause: Clause, reading: Reading) -> Said | None:
    """The first date that lies ahead, preferring one led by "by" or "before"."""
    now = dates.local_now(reading.turn)
    ahead = [
        said
        for said in dates.said_dates(clause.text, reading.turn, past=False)
        if said.after > now and said.lead not in ("since", "from")
    ]
    led = [said for said in ahead if said.lead in _DUE_LEADS]
    return next(iter(led or ahead), None)


def _commitment(
    clause: Clause,
    reading: Reading,
    rule: str,
    content: str,
    due: Said | None,
    confidence: int,
    owners: tuple[str, ...] | None = None,
    signals: tuple[Signal, ...] = (),
    mentions: tuple[Mention, ...] = (),
) -> Proposal:
    moment = _due_moment(due) if due else None
    return reading.propose(
        clause,
        rule=f"commitment.{rule}",
        kind="commitment",
        content=content,
        confidence=confidence,
        owners=owners,
        signals=signals,
        ranged=False,
        due=moment,
        attributes={"due_at": moment.as_text()} if moment else {},
        mentions=mentions,
    )


def _due_moment(due: Said) -> Moment:
    if due.lead == "before" and due.moment.precision == "day":
        return Moment(due.moment.at - timedelta(days=1), "day")
    return due.moment


def _own(clause: Clause, reading: Reading) -> Proposal | None:
    found = _WILL.match(clause.text)
    if found is None or not reading.first_person:
        return None
    verb, how, rest = found.group("verb").lower(), found.group("how").lower(), found.group("rest")
    due = _due(clause, reading)
    promised = "promise" in how or "commit" in how
    if due is None and not promised:
        return None
    if verb in ("have", "get") and not _READY.match(rest):
        return None
    if (verb in _STATIVE and not (verb in ("let", "check") and _LETTING.match(rest))) or (
        promised and due is None and verb in ("be", "not")
    ):
        return None
    by = due is not None and due.lead in _DUE_LEADS
    if not promised and not by and (how not in ("'ll", " will", " shall") or verb not in _DELIVERS):
        return None
    return _commitment(clause, reading, "undertaken", reading.voice.retell(clause.text), due, 85 if by else 75)


def _named(clause: Clause, reading: Reading) -> Proposal | None:
    found = _THEY.match(clause.text)
    due = _due(clause, reading) if found else None
    if found is None or due is None or due.lead not in _DUE_LEADS or found.group("who") in _NOT_NAMES:
        return None
    if found.group("verb") in _STATIVE:
        return None
    person = reading.person(found.group("who"))
    content = reading.voice.others("", clause.text)
    return _commitment(clause, reading, "named", content, due, 70, reading.owners_of(person), mentions=(person,))


def _deadline(clause: Clause, reading: Reading) -> Proposal | None:
    found = _DUE.match(clause.text)
    due = _due(clause, reading) if found else None
    if found is None or due is None:
        return None
    content = reading.voice.others("", clause.text)
    if clause.text[:3].lower() in ("my ", "our"):
        content = f"{reading.voice.name}'s {clause.text.split(' ', 1)[1]}"
    return _commitment(clause, reading, "deadline", content, due, 75)


def _reminder(clause: Clause, reading: Reading, rest: str) -> Proposal:
    content = f"{reading.voice.name} asks to be reminded{reading.voice.others('', rest)}"
    return _commitment(
        clause, reading, "reminder", content, _due(clause, reading), 85, signals=("requested",) if clause.asking else ()
    )
