"""What somebody asks for from now on: imperatives, polite questions, and things wanted no more."""

from typing import Any

from memoryapp.extraction.proposals import Proposal
from memoryapp.extraction.rules.patterns import pattern, words
from memoryapp.extraction.rules.reading import Reading, tidy
from memoryapp.extraction.rules.sentences import Clause
from memoryapp.extraction.rules.stances import PLACED, STABLE, STANDING_CUE, lowered, preference
from memoryapp.extraction.rules.topics import has_cadence, has_report, known_topic, noun_topic

_CALL_ME = pattern(
    r"^(?i:please )?(?i:just |simply )?(?:(?i:call me|i go by|everyone calls me|address me as))"
    r" (?P<object>\p{Lu}[\p{L}'-]+)(?i: now| instead| from now on| rather than .{1,40}|, not"
    r" .{1,40})?$"
)
_BEGIN = (
    r"(?:please |kindly |just |simply |and |also |(?:you|we) (?:can|could|may|should) (?:now )?"
    r"|instead of [^,]{2,40}, )*"
)
_STANDING = pattern(
    r"(?i)^" + _BEGIN + r"(?P<when>(?:from now on|going forward|in (?:the )?future|from here on(?: out)?|henceforth"
    r"|starting [\p{L}\p{N} ]{1,20}?|as of [\p{L}\p{N} ]{1,20}?|from [\p{L}]+(?: \d{1,2})?(?:"
    r" on(?:wards?)?)?),? )?"
    + _BEGIN
    + r"(?P<words>(?:do not |don't |never |always |only |stop |avoid |no more |no )?(?:always |ever )?\p{L}[^\n]{2,})$"
)
_VERB = pattern(
    r"(?i)^(?P<not>do not |don't |never )?(?P<only>always |only |ever )?(?P<verb>send|e-?mail|mail"
    r"|call|text|ring|phone|message|write|use|keep|give|deliver|ship|book|address|reply"
    r"|respond|answer|include|avoid|put|make|schedule|switch|stop|cc|copy|skip|drop|cut|reduce|limit"
    r"|remind|notify|show|tell|speak|talk|contact|reach|leave|bill|pay|order|bring|add|change"
    r"|move|report|summari[sz]e|start|sign|cancel|wait|ask|ping|bother|wake|go back|round|quote"
    r"|format|translate|pick|choose|reserve|charge|invoice|update|say|print|save|store)(?P<rest>(?: .*)?)$"
)
_NO_MORE = pattern(r"(?i)^(?P<words>no more (?P<object>\p{L}[^,]{2,80}?)(?: for me| from now on)?)$")
_WANTED = pattern(
    r"(?i)^(?P<object>(?:(?:an?|one|just|only|just an?|the) )?\p{L}[^,]{3,80}?),? (?:please|from now"
    r" on|instead|for me|going forward)(?:,? please| instead)?$"
)
_REQUEST = pattern(
    r"(?i)^(?:could|can|would|will|may|might) (?P<who>you|we|i) (?:please |kindly |just |maybe "
    r"|perhaps )*(?P<words>(?:not )?\p{L}.{3,})$"
    r"|^(?:would|could|is) it be? ?(?:possible|ok|okay|fine|all right) to (?P<more>.{3,})$|^(?:would"
    r"|do) you mind (?P<gerund>.{3,})$"
)
_LETS = pattern(
    r"(?i)^let's (?:just )?(?P<words>(?:switch|move|change|go(?: down| back)?|do|make|keep|stick|drop"
    r"|reduce|cut|have|stop|not) .+)$"
)
_TIMES = words("monday tuesday wednesday thursday friday saturday sunday tomorrow later back when crazy lucky old")
_FIRMLY = pattern(
    r"(?i)\b(?:always|never|from now on|going forward|in (?:the )?future|henceforth|any ?more|any"
    r" longer|by default|whenever|every time|each time|(?:me|my|us|our)\b.*instead)\b"
)
_NOUN_AFTER_ALL = pattern(r"(?i)^ (?:is|are|was|were|works?|suits?|would|will|can|has|have|had|and i|did|does|do)\b")
_IDIOM = pattern(
    r"(?i)^(?:never|don't|do not|always|only|keep|just)? ?(?:ever )?(?:give up|keep (?:it up|up|going"
    r"|on|at|in)|stop(?: it| that| this| there|$)|forget|lose|mind|worry|look back"
    r"|say never|be|hesitate|remember|take|let|get|have|make (?:me|you)|know|think|do)\b"
)
_HAS_VERB = pattern(
    r"(?i)\b(?:is|are|was|were|will|would|i|you|we|he|she|they|it|did|does|do|got|sent|had|has|works?"
    r"|suits?)\b"
)


def call_me(clause: Clause, reading: Reading) -> Proposal | None:
    found = _CALL_ME.match(clause.text)
    if found is None or found.group("object").lower() in _TIMES or found.group("object").isupper():
        return None
    name = found.group("object")
    return preference(
        clause, reading, "call_me", "form of address", 85, f"{reading.voice.name} asks to be called {name}"
    )


def no_more(clause: Clause, reading: Reading) -> Proposal | None:
    found = _NO_MORE.match(tidy(clause.text))
    if found is None:
        return None
    words = found.group("object")
    topic = known_topic(words) or ("reporting cadence" if has_report(words) else noun_topic(words))
    content = f"{reading.voice.name} wants no more {reading.voice.others('', words)}"
    return preference(clause, reading, "no_more", topic, 70, content, signals=("negates", "replaces"))


def standing(clause: Clause, reading: Reading) -> Proposal | None:
    found = _STANDING.match(clause.text)
    if found is None:
        return None
    verb = _VERB.match(found.group("words"))
    if verb is not None and _NOUN_AFTER_ALL.match(verb.group("rest")):
        return None
    if verb is None:
        return _standing_noun(clause, reading, found)
    if not _opens(clause) or _IDIOM.match(found.group("words")):
        return None
    cue = bool(STANDING_CUE.search(clause.text)) and clause.text[:3].lower() not in ("you", "we ")
    topic = known_topic(found.group("words"))
    if cue and not topic and not _FIRMLY.search(clause.text):
        return None
    if topic == "diet" and not _FIRMLY.search(clause.text):
        return None
    if not cue and not (topic and (topic in STABLE or topic in PLACED or has_cadence(clause.text))):
        return None
    return preference(
        clause, reading, "standing", topic or _instruction_topic(verb), 75 if cue else 65, _asks(reading, verb, found)
    )


def _opens(clause: Clause) -> bool:
    """Whether an imperative begins a sentence: "we keep going and never give up" is no request."""
    before = clause.before.rstrip().casefold()
    return (
        not before or before.endswith((",", ";", ":", "-", "–", "—", "please", ")")) or before in ("so", "and", "also")
    )


def _standing_noun(clause: Clause, reading: Reading, found: Any) -> Proposal | None:
    """ "Weekly status emails, please" and "From now on a monthly summary": the thing wanted, without a verb."""
    wanted = _WANTED.match(clause.text)
    words = found.group("words") if found.group("when") else wanted.group("object") if wanted else ""
    if not words or _HAS_VERB.search(words) or len(words.split()) > 8:
        return None
    topic = known_topic(words)
    if not topic:
        return None
    return preference(
        clause,
        reading,
        "wanted",
        topic,
        70,
        f"{reading.voice.name} asks for {reading.voice.others('', lowered(words))}",
    )


def _asks(reading: Reading, verb: Any, found: Any) -> str:
    says = "says" if not reading.first_person else "asks"
    words = f"{(verb.group('only') or '').lower()}{verb.group('verb').lower()}{verb.group('rest')}"
    denial = (verb.group("not") or "").strip().lower()
    to = {"": "to", "never": "never to"}.get(denial, "not to")
    when = f" ({found.group('when').strip(' ,').lower()})" if found is not None and found.group("when") else ""
    return f"{reading.voice.name} {says} {to} {reading.voice.others('', tidy(words))}{when}"


def _instruction_topic(verb: Any) -> str:
    rest = verb.group("rest").strip().removeprefix("me ").removeprefix("us ")
    return f"{verb.group('verb').lower()} {noun_topic(rest)}".strip()


def lets(clause: Clause, reading: Reading) -> Proposal | None:
    found = _LETS.match(clause.text)
    topic = known_topic(found.group("words")) if found else ""
    if found is None or not topic or not (has_cadence(clause.text) or topic in STABLE):
        return None
    return preference(
        clause,
        reading,
        "lets",
        topic,
        70,
        f"{reading.voice.name} proposes to {reading.voice.others('', found.group('words'))}",
    )


def request(clause: Clause, reading: Reading) -> Proposal | None:
    found = _REQUEST.match(clause.text)
    if found is None:
        return None
    words = found.group("words") or found.group("more") or found.group("gerund")
    topic = known_topic(words)
    if not topic or not (has_cadence(words) or STANDING_CUE.search(words)):
        return None
    to = "" if found.group("gerund") else "to "
    content = f"{reading.voice.name} asks {to or 'for '}{reading.voice.others('', words)}"
    return preference(clause, reading, "request", topic, 65, content, signals=("requested",))
