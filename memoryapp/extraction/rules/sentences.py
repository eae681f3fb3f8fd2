"""A turn cut into clauses: where each statement begins and ends, and what around it forbids taking it at its word.

Every character of the text that is searched stands at its own place in the text that was said, so offsets hold.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from memoryapp.doors import marker
from memoryapp.extraction.proposals import Turn
from memoryapp.extraction.rules.patterns import pattern
from memoryapp.sources.transcripts import words_of_others

LONGEST = 320  # characters of one clause; what is longer is no statement these rules can stand for

_PLAIN = {
    ord(a): b for a, b in zip("’‘‛ʼ＇“”„«»\u00a0\u2009\u202f\t‐‑", "''''" + "'" + '"""""' + "    --", strict=True)
}
_BREAK = pattern(r"[.!?…。！？؟]+[\"')\]*_]*(?:\s|$)|\n+|[。！？؟]|\s[\p{So}]+")
_ABBREVIATION = pattern(
    r"(?i)(?:^|[^\p{L}])(?:mr|mrs|ms|dr|prof|st|no|vs|e\.g|i\.e|etc|approx|inc|ltd|co|jr|sr|\p{L})\.\s?$"
)
_SUBJECT = (
    r"(?:i|we|my|our|it|that|this|these|those|he|she|they|you|your|his|her|there|please|the|let's|now"
    r"|then|actually|don't|instead"
    r"|remind|how|what|who|do|does|did|can|could|never|always|any|to be)"
)
_SPLIT = pattern(
    r"(?i)(\s*;\s+|\s+[–—]+\s*|[–—]+\s+|\s+-+\s+|:\s+(?:i\b|we\b|my\b|always\b|never\b)|,\s+(?:but|yet)\s+"
    r"|,?\s+(?:but|because|since|although|though|whereas|cause|so|and|yet|as|while|plus|or)\s+" + _SUBJECT + r"\b"
    r"|,\s+(?:"
    + _SUBJECT
    + r"|once an?|(?:an? |one |just )?(?:daily|weekly|monthly|quarterly|single)|text|email|call|send)\b)"
)
_CLOSING = pattern(r"(?i)^,? please\W*$|^,? (?:please )?(?:thanks|thank you)\W*$")
_HEADING = pattern(r"(?i)^(?:(?:the )?(?:final )?decision|decided|agreed|it's (?:decided|agreed|settled))$")
_COMPANY = pattern(
    r"(?i)(?:^|[,.!?;:–-] ?|\band |\bbut |\bso |\bwhen |\bday,? |\bweek,? |\bmonth,? |\bweekend,?"
    r" )(?:both )?(?:(?:my|our|the) (?:\p{L}+ ){0,2}\p{L}+|(?-i:\p{Lu}\p{L}+)|him|her|them)$"
)
_WHEN = pattern(
    r"(?i)^(?:yesterday|today|tonight|last (?:\p{L}+)|this (?:\p{L}+|past \p{L}+)|(?:on|in|by|until"
    r"|from|as of|starting|since) (?:\p{L}+|\d{4}|\p{L}+ \d{1,4}|\d{1,2} \p{L}+)"
    r"|(?:a|an|one|two|three|four|five|six|\d+|a few|a couple of) (?:day|week|month|year)s? ago|from"
    r" now on|going forward|from here on(?: out)?|in (?:the )?future|henceforth|instead"
    r"|tomorrow|next \p{L}+|the other day|earlier (?:today|this week))$"
)
_CIRCUMSTANCE = pattern(
    r"(?i)^(?:and |but |so )?(?P<words>(?:when|whenever|while|for|on|during|at|in) [^,]{3,60}?), *$"
)
_NO_CIRCUMSTANCE = pattern(
    r"(?i)^(?:for (?:me|us|now|sure|example|instance|once|what it's worth|the record)|in (?:fact"
    r"|general|short|any case|the end|my opinion)|at (?:least|first|last|any rate)|on (?:the other"
    r" hand|balance|reflection|second thought))$"
)
_AND_I = pattern(r"(?i)^,?\s+and\s+i\b")
_DELIMITER = pattern(
    r"(?i)^(?:\s*[;:,–—-]*\s+|[–—]+)(?:(?:but|because|since|although|though|whereas|cause|so|and|yet"
    r"|as|while|plus|or)\s+)?"
)
_LEAD_IN = pattern(
    r"(?i)^(?:(?:well|oh+|ah+|hey|hi|hello|yeah|yes|yep|yup|ok|okay|sure|right|thanks|thank you"
    r"|honestly|frankly|actually|anyway"
    r"|and|but|also|plus|sorry|hmm+|um+|by the way|btw|fyi|to be honest|tbh|in fact|personally|as i"
    r" said|like i said|as i told you"
    r"|i told you|for the record|just so you know|one more thing|on second thought|come to think of"
    r" it|wow|absolutely|definitely"
    r"|for sure|of course|totally|haha+|lol|i have to say|i must say|as for me|for me|please note(?:"
    r" that)?|note that|remember that"
    r"|i (?:think|guess|suppose|believe|feel like|feel)(?: that)?)\b[,:!.]*\s+"
    r"|(?:no|nope|so|now|then|wait|note|remember|important|reminder|correction|update|great|cool|good"
    r" news|p\.?s\.?|\p{L}+ here|my friend)"
    r"[,:!.]+\s+|so\s+|(?:[-*•#]+|\d{1,2}[.)])\s+|[\"'(*_\s]+)"
)
_ADDRESS = pattern(r"^(?:(?i:hey|hi|hello|thanks|sure|yeah|yes|no|ok|okay|oh|wow)[, ]+)?\p{Lu}\p{L}+[,!]\s+")
_HYPOTHETICAL = pattern(
    r"(?i)\b(?:if|suppose|supposing|imagine|pretend|hypothetically|in theory|what-if|unless|let's say"
    r"|would have|could have|should have"
    r"|i wish|might|maybe|perhaps|as though|assuming|whether|in case|or maybe|not sure)\b"
)
_HARMLESS_IF = pattern(
    r"(?i)\bif (?:possible|you can|you could|you don't mind|you would|you please|that's (?:ok|okay"
    r"|alright|all right|fine|possible)"
    r"|that works|it's (?:ok|okay|alright|possible|not too much)|you like|at all possible|necessary"
    r"|needed|i may|you wouldn't mind)\b"
)
_REPORTED = pattern(
    r"(?i)\b(?:said|says|say|saying|told|tells|claim(?:s|ed)?|wrote|writes|quote[sd]?|quoting|asked"
    r"|asks|thinks?|thought|believes?|heard"
    r"|according to|apparently|allegedly|supposedly|rumou?r|reads|goes|line|lyrics?|joked?|like)\b[^.;]{0,60}[,:]?\s*$"
)
_OWN_REPORT = pattern(r"(?i)\b(?:as i (?:said|told)|i (?:told you|said)|like i said|i already said)\b")
_UNTRUE = pattern(
    r"(?i)\b(?:just kidding|only kidding|kidding|jk|j/k|just joking|only joking|i'm joking|not really"
    r"|sarcasm|yeah right|as if"
    r"|just a joke|that's a joke|/s)\b|/s\b|\bnot!|😜|😏|🙃|😝|\bpsych!"
)
_RETRACTED = pattern(
    r"(?i)^\W*(?:scratch that|never ?mind|ignore that|forget (?:that|it|i said)|strike that|i take that back)\b"
)
_TAG = pattern(r"(?i)[,;.]?\s*(?:how about|what about|and)?\s+(?:you(?:rself)?|yours)\s*\?+\s*$")
_FENCE = pattern(r"(?m)^[ \t]*(?:```|~~~)")
_QUOTE_LINE = pattern(r"(?m)^[ \t]*(?:>|&gt;).*$")
_QUOTED = pattern(r"\"[^\"\n]{3,400}\"|`[^`\n]{1,200}`")


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause at [start, end) of its turn, its lead-in ("well,", "I think") taken off.

    `barred` says that nothing in it may be taken as what the speaker holds; `asking` that it ends in a question mark.
    """

    turn: Turn
    text: str
    start: int
    end: int
    sentence: str
    before: str
    asking: bool
    barred: bool
    hedged: bool
    corrects: bool
    previous: str
    circumstance: str = ""


def plain(text: str) -> str:
    """The text with typographic quotes, spaces and hyphens made plain and lone surrogates blotted out, same length."""
    shadow = text.translate(_PLAIN)
    if any("\ud800" <= character <= "\udfff" for character in shadow):
        shadow = "".join("\ufffd" if "\ud800" <= character <= "\udfff" else character for character in shadow)
    return shadow.replace("\0", " ").replace("\r", " ")


def clauses(turn: Turn) -> Iterator[Clause]:
    """The clauses of a turn in order. Code, quoted lines, what a pasted transcript marks as
    another's and our own rendered blocks are passed over."""
    shadow = _blanked(plain(turn.text), [*marker.strip(turn.text), *_passed_on(turn)])
    sentences = list(_sentences(shadow))
    previous = ""
    for index, (start, end) in enumerate(sentences):
        following = shadow[slice(*sentences[index + 1])] if index + 1 < len(sentences) else ""
        untrue = bool(
            _UNTRUE.search(shadow[start:end]) or _UNTRUE.search(following[:60]) or _RETRACTED.search(following[:40])
        )
        yield from _clauses_of(turn, shadow, start, end, untrue, previous)
        previous = shadow[start:end]


def _passed_on(turn: Turn) -> list[tuple[int, int]]:
    """What a user's turn only passes on of an assistant's, a tool's or the system's words."""
    return words_of_others(turn.text) if turn.speaker == "user" else []


def _blanked(shadow: str, ours: list[tuple[int, int]]) -> str:
    spans = list(ours)
    fences = [found.start() for found in _FENCE.finditer(shadow)]
    for opening, closing in zip(fences[::2], [*fences[1::2], len(shadow)], strict=False):
        line_end = shadow.find("\n", closing)
        spans.append((opening, len(shadow) if line_end < 0 else line_end))
    spans.extend(found.span() for found in _QUOTE_LINE.finditer(shadow))
    if not spans:
        return shadow
    pieces, position = [], 0
    for start, end in sorted(spans):
        if end <= position:
            continue
        start = max(start, position)
        pieces += [shadow[position:start], "\n" * (end - start)]
        position = end
    return "".join([*pieces, shadow[position:]])


def _sentences(shadow: str) -> Iterator[tuple[int, int]]:
    start = 0
    for found in _BREAK.finditer(shadow):
        cut = found.end()
        mark = shadow[found.start()]
        if (
            mark == "."
            and shadow[found.start() : cut].strip() == "."
            and _ABBREVIATION.search(shadow[max(start, cut - 10) : cut])
        ):
            continue
        if shadow[start:cut].strip():
            yield start, cut
        start = cut
    if shadow[start:].strip():
        yield start, len(shadow)


def _clauses_of(turn: Turn, shadow: str, start: int, end: int, untrue: bool, previous: str) -> Iterator[Clause]:
    sentence = shadow[start:end].rstrip()
    if len(sentence) > 4 * LONGEST:
        return
    tag = _TAG.search(sentence)
    body = sentence[: tag.start()] if tag and tag.start() > 8 else sentence
    asking = body.rstrip("\"')*_ ").endswith(("?", "？", "؟"))
    open_words = _HARMLESS_IF.sub(" ", sentence)
    hypothetical = bool(_HYPOTHETICAL.search(open_words))
    quoted = [found.span() for found in _QUOTED.finditer(body)]
    pieces = list(_pieces(body))
    for index, (low, high) in enumerate(pieces):
        before = body[:low]
        last = index == len(pieces) - 1
        told = bool(_REPORTED.search(before)) and not _OWN_REPORT.search(before)
        within = any(opening <= low + 1 and low < closing for opening, closing in quoted) or before.count('"') % 2 == 1
        question = asking and (last or not _stands_alone(body[low:high]))
        barred = untrue or hypothetical or told or within
        clause = _clause(turn, body, low, high, start, question, barred, previous)
        if clause is not None:
            yield clause


def _stands_alone(text: str) -> bool:
    """Whether a clause before a question is a statement of its own: "I love hiking, do you?"."""
    return bool(_FIRST_PERSON.match(text.strip()))


_FIRST_PERSON = pattern(r"(?i)^(?:\p{L}+[,!] )?(?:i|we|my|our)\b")


def _pieces(body: str) -> Iterator[tuple[int, int]]:
    start = 0
    for found in _SPLIT.finditer(body):
        delimiter = _DELIMITER.match(body[found.start() : found.end()])
        if delimiter is None or found.start() - start < 3 or _CLOSING.match(body[found.start() :]):
            continue
        if _HEADING.match(body[start : found.start()].strip()):
            continue
        if _WHEN.match(_LEAD_IN.sub("", body[start : found.start()].lstrip(), count=1)):
            continue
        company = _AND_I.match(body[found.start() : found.end()])
        if company and _COMPANY.search(body[max(start, found.start() - 60) : found.start()]):
            continue
        yield start, found.start()
        start = found.start() + delimiter.end()
    if start < len(body):
        yield start, len(body)


def _clause(
    turn: Turn, body: str, low: int, high: int, offset: int, question: bool, barred: bool, previous: str
) -> Clause | None:
    text = body[low:high]
    hedged = corrects = False
    for _ in range(5):
        lead = _LEAD_IN.match(text) or _ADDRESS.match(text)
        if lead is None or lead.end() == 0:
            break
        word = lead.group().casefold()
        hedged = hedged or word.startswith(("i think", "i guess", "i suppose", "i believe", "i feel"))
        corrects = corrects or word.startswith(("actually", "no", "sorry", "wait", "correction", "on second"))
        text = text[lead.end() :]
        low += lead.end()
    kept = text.rstrip(" \n\t.!?…,;:\"')*_。！？")
    if not kept or len(kept) > LONGEST:
        return None
    circumstance = _CIRCUMSTANCE.match(body[:low].lstrip())
    return Clause(
        turn,
        kept,
        offset + low,
        offset + low + len(kept),
        body,
        body[:low],
        question,
        barred,
        hedged,
        corrects,
        previous,
        circumstance.group("words") if circumstance and not _NO_CIRCUMSTANCE.match(circumstance.group("words")) else "",
    )
