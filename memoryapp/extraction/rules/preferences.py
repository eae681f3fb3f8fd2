"""Stated preferences and their changes: what somebody likes, would rather have, wants no more, asks for from now on."""

from dataclasses import replace

from memoryapp.extraction.proposals import Proposal, Signal
from memoryapp.extraction.rules.patterns import pattern, span_of, words
from memoryapp.extraction.rules.reading import Reading
from memoryapp.extraction.rules.requests import call_me, lets, no_more, request, standing
from memoryapp.extraction.rules.sentences import Clause
from memoryapp.extraction.rules.stances import (
    BAD_OBJECT,
    PLACED,
    POINTING,
    STABLE,
    STANDING_CUE,
    TO_PERSON,
    lowered,
    preference,
    usable,
)
from memoryapp.extraction.rules.topics import has_cadence, has_report, known_topic, noun_topic, topic_of
from memoryapp.extraction.rules.voice import ADVERB

_I = r"i(?: " + ADVERB + ")*"
_AM = r"i(?:'m| am)(?: " + ADVERB + ")*"
_HAVE = r"i(?:'ve| have)?(?: " + ADVERB + ")*"
_PREFER = pattern(
    r"(?i)^(?:"
    + _I
    + r" (?:don't )?(?:prefer|favou?r)|i(?:'d| would)(?: "
    + ADVERB
    + r")* prefer|"
    + _AM
    + r" more of an?"
    r"|(?:can't say )?prefer) (?P<object>.+)$"
)
_NOUN = pattern(
    r"(?i)^my (?:\p{L}+ )?(?:preference|preferred (?P<slot>\p{L}[\p{L} -]{1,40}?)) (?:now )?(?:is"
    r"|would be|has changed to)(?: now)?(?: for| to)? (?P<object>.+)$"
)
_FAVOURITE = pattern(
    r"(?i)^my (?:(?:all[- ]time|absolute|current|new|personal) )?favou?rite (?P<slot>\p{L}[\p{L}'"
    r" -]{1,40}?)(?: of all time)?(?: is| are|'s)(?: now| definitely| probably| still)?"
    r" (?P<object>.+)$"
)
_TASTE = pattern(
    r"(?i)^(?:"
    + _I
    + r" (?:love|hate|dislike|detest|adore|loathe|enjoy|like|despise|can't stand|cannot stand|can't bear|can't abide"
    r"|(?:don't|do not)(?: really| much| particularly)? (?:like|enjoy|love|care for))|"
    + _AM
    + r" (?:a (?:big|huge|great|massive|real) fan of|a fan of"
    r"|not (?:a (?:big |huge |great )?fan of|into|keen on|fond of)|into|fond of|keen on|crazy about"
    r"|obsessed with|tired of|sick of)|can't stand"
    r"|i(?:'ve| have) always (?:loved|hated|liked|enjoyed|disliked)|i(?:'ve| have) (?:come|grown"
    r"|learned) to (?:love|hate|like|enjoy|dislike|prefer)) (?P<object>.+)$"
)
_WISH = pattern(
    r"(?i)^(?:i(?:'d| would)(?: "
    + ADVERB
    + r")* (?:rather|like|love|appreciate|want|be happier with|be happy with|be fine with)|"
    + _I
    + r" (?:want|need|expect|ask for)"
    r"|(?:we|we'd|we would) (?:want|like|prefer|rather)|"
    + _AM
    + r" (?:happy|fine|ok|okay|good|content|satisfied) with|i'll take|it(?:'d| would) be (?:great|good"
    r"|nice|best|better|enough|helpful|ideal|lovely|fine) to (?:get|have|receive|see)|i(?:'d| would)"
    r" (?:be )?better off with"
    r"|(?:please )?(?:give|get) me) (?P<object>.+)$"
)
_SUITS = pattern(
    r"(?i)^(?:(?:from now on|going forward|in future|in the future),? )?(?P<object>(?:\p{L}"
    r"|\d)[^,]{2,120}?)(?: now| actually| really| just)? (?:is|are|'s|will"
    r"|would|works?|suits?|do|does)(?: be| do)?(?: now| just| more than| perfectly| totally| much)*"
    r"(?: (?:enough|fine|plenty|sufficient|ideal|better|best|ok|okay|good|perfect|great|preferable"
    r"|easier|all (?:that )?i (?:need|want)|what i (?:want|need|prefer|would like|'d like)|me|for me|for us))+"
    r"(?: for (?:me|us))?(?: better| best| fine| more)?(?: now| from now on| going forward| these"
    r" days| from here on| at this point| any ?more| instead| than [^,]{2,60}| for (?:the|my)"
    r" [^,]{2,40})?(?: for (?:me|us))?$"
)
_SUITS_ME = pattern(
    r"(?i)\b(?:suits?|works?) (?:me\b|.*for (?:me|us)\b)|\b(?:enough|plenty|sufficient|best|better"
    r"|easier|ideal|preferable) for (?:me|us)\b"
)
_WILL_DO = pattern(
    r"(?i)^(?P<object>(?:an? |one |the |once |every |just )?\p{L}[^,]{2,100}?) (?:will|would|'ll)"
    r" (?:do|suffice)(?: (?:now|nicely|for (?:me|us)|from now on|just fine|fine))*$"
    r"|^(?P<plain>\p{L}[^,]{2,80}) suffices?(?: now| for me)?$"
)
_FIND = pattern(
    r"(?i)^i find (?P<object>.{3,80}?) (?:much |far |a lot )?(?:better|best|enough|sufficient|easier"
    r"|plenty|preferable)(?: now)?$"
)
_REACH = pattern(
    r"(?i)^(?P<object>[^,]{3,60}) (?:is|are) (?:now )?(?:the |my )?(?:best|easiest|quickest|right"
    r"|preferred) way to (?:reach|contact|get hold of) me(?: now)?$"
    r"|^the (?:best|easiest|quickest) way to (?:reach|contact|get hold of) me is (?:now )?(?P<other>[^,]{3,60})$"
)
_SHOULD = pattern(
    r"(?i)^(?:my|our|all(?: my| the)?|the) (?P<object>[^,]{2,60}?) should (?:now |always |only |all"
    r" )?(?:go|be|come|arrive|get) [^,]{3,80}$"
)
_NOT_NEEDED = pattern(
    r"(?i)^(?:you (?:don't|do not|needn't)|(?:there's |there is )?no) (?:longer )?(?:need|have) (?:to"
    r"|for) (?P<object>.{3,100})$|^i(?:'ve| have) had enough of (?P<other>.{3,80})$"
)
_NO_LONGER = pattern(
    r"(?i)^(?:i(?:'m| am)? no longer|i(?:'m| am)? not|i (?:don't|do not)(?: really)?) (?P<verb>want"
    r"|need|like|love|prefer|enjoy|eat|drink|use|take|read|watch|wear|buy|fly|drive|care for|have to"
    r" have|wanting|needing|eating|drinking) (?P<object>.+)$"
)
_ANY_MORE = pattern(r"(?i)\b(?:any ?more|any longer|no longer)\b")
_HABIT = pattern(
    r"(?i)^(?:i (?:don't|do not|never|no longer|only)(?: ever| really)? (?:eat|drink|use|take|fly"
    r"|wear|smoke)|i (?:always|usually|normally|never|only) (?:sit|take|fly|travel|pay|work|stay|book"
    r"|drink|eat)|i(?:'ve| have)? (?:stopped|quit|given up|gave up)"
    r"|"
    + _HAVE
    + r" switched (?:from (?P<old>.+?) )?(?:over )?to|"
    + _HAVE
    + r" (?:gone|turned|become|went|became)|"
    + _AM
    + r" (?:allergic to|intolerant to|intolerant of)) (?P<object>.+)$"
)
_DIET = pattern(
    r"(?i)^" + _AM + r" (?:(?:strictly|a|an|strict|mostly) )*(?P<object>(?:vegan|vegetarian|pescatarian|gluten[- ]free"
    r"|lactose[- ]intolerant|coeliac|celiac|teetotal|on a [\p{L}-]+ diet)(?:,? (?:now|these days"
    r"|since|again|at the moment|and|so|for)\b.{0,40})?)$"
)
_THAN = pattern(r"(?i)\b(?:than|rather than|instead of)\b")
_THE = pattern(r"(?i)^(?:the|an?) ")
_EMPTY = words("to of in on at for with by from up out off lot")
_DAYS = words("monday tuesday wednesday thursday friday saturday sunday tomorrow today weekend week month")
_NOT_A_THING = words("that this it what which there everything these those they he she i we you life and all")
_GIVEN_UP = pattern(r"(?i)^(?:(?:eating|drinking|using|taking|buying|wearing|smoking|watching|reading) )?\p{L}+")
_ROUTINE = pattern(r"(?i)^i (?:\S+ ){1,3}(?:sit|take|fly|travel|pay|work|stay|book)\b")
_GERUND = pattern(r"(?i)^(?:eating|drinking|using|taking|buying|wearing|watching|reading) ")


def find(clause: Clause, reading: Reading) -> list[Proposal]:
    """At most one preference a clause: the first form that fits, with or without its "from now on"."""
    forms = (_SPOKEN if not clause.asking else _ASKED) if reading.first_person else _FOREIGN
    for form in forms:
        found = form(clause, reading)
        if found is not None:
            return [found]
    lasting = _LASTING.match(clause.text)
    if lasting is None:
        return []
    bare = replace(clause, text=clause.text[lasting.end() :], start=clause.start + lasting.end())
    return [replace(found, signals=tuple(dict.fromkeys((*found.signals, "replaces")))) for found in find(bare, reading)]


_LASTING = pattern(r"(?i)^(?:from now on|going forward|from here on|in (?:the )?future),? ")


def _prefer(clause: Clause, reading: Reading) -> Proposal | None:
    found = _PREFER.match(clause.text)
    if found is None:
        return None
    words = found.group("object")
    if not known_topic(words) and (BAD_OBJECT.match(words) and not words.lower().startswith("to ")):
        return None
    content = reading.voice.retell(clause.text)
    if clause.text[:6].lower() == "prefer":
        content = f"{reading.voice.name} prefers {reading.voice.others('', words)}"
    topic = topic_of(words.removeprefix("to "))
    return preference(clause, reading, "prefer", topic, 85, content)


def _named(clause: Clause, reading: Reading) -> Proposal | None:
    found = _FAVOURITE.match(clause.text)
    slot = "favourite"
    if found is None:
        found = _NOUN.match(clause.text)
        slot = "preferred"
    if found is None or BAD_OBJECT.match(found.group("object")):
        return None
    said = found.group("slot")
    topic = (
        f"{slot} {noun_topic(said)}"
        if said and slot == "favourite"
        else known_topic(clause.text) or noun_topic(said or found.group("object"))
    )
    if slot == "favourite" and said.lower().split()[0] in ("part", "thing", "one", "bit", "moment", "memory"):
        return None
    content = f"{reading.voice.name}'s " + reading.voice.others("", clause.text[3:])
    return preference(clause, reading, slot, topic, 85, content)


def _taste(clause: Clause, reading: Reading) -> Proposal | None:
    found = _TASTE.match(clause.text)
    if found is None or _ANY_MORE.search(clause.text):
        return None
    words = found.group("object")
    if not usable(words) or (_THE.match(words) and words[:4].lower() == "the "):
        return None
    words = words.removeprefix("to ")
    topic = (known_topic(words) if has_cadence(words) else "") or noun_topic(words)
    if not topic or topic in _EMPTY:
        return None
    content = (
        reading.voice.retell(clause.text)
        if clause.text[:1].lower() == "i"
        else f"{reading.voice.name} {clause.text[0].lower()}{clause.text[1:]}"
    )
    return preference(clause, reading, "taste", topic, 80, content)


def _wish(clause: Clause, reading: Reading) -> Proposal | None:
    found = _WISH.match(clause.text)
    if found is None or clause.text.lower().startswith(("i need to know", "i'd like to know")):
        return None
    words = found.group("object")
    topic = known_topic(words)
    rather = "rather" in clause.text[: span_of(found, "object")[0]].lower() and bool(topic or _THAN.search(words))
    if not topic and not rather:
        return None
    if topic not in STABLE and not rather and not has_cadence(words) and not STANDING_CUE.search(words):
        return None
    content = reading.voice.retell(clause.text)
    if clause.text[:2].lower() == "it":
        content = f"{reading.voice.name} says that {reading.voice.others('', lowered(clause.text))}"
    elif clause.text[:1].lower() in "pg":
        content = f"{reading.voice.name} asks for {reading.voice.others('', words)}"
    return preference(clause, reading, "wish", topic or noun_topic(words), 80, content)


def _suits(clause: Clause, reading: Reading) -> Proposal | None:
    found = _SUITS.match(clause.text) or _WILL_DO.match(clause.text)
    if found is None:
        return None
    words = found.group("object") or found.groupdict().get("plain") or ""
    if words.split()[0].lower() in _NOT_A_THING or TO_PERSON.search(words):
        return None
    topic, about = known_topic(words) or known_topic(clause.text), ""
    if not topic and has_cadence(words):
        topic, about = _carried(clause, reading)
    if not topic and _SUITS_ME.search(clause.text):
        topic = noun_topic(words)
    if not topic or topic.split()[-1] in _DAYS:
        return None
    content = f"For {reading.voice.name}, {reading.voice.others('', lowered(clause.text))}{about}"
    return preference(clause, reading, "suits", topic, 80, content)


def _carried(clause: Clause, reading: Reading) -> tuple[str, str]:
    """ "Once a month is enough" says how often; what of, the sentence or turn before may have said."""
    for text in (clause.before, clause.previous, reading.before):
        if has_report(text):
            return "reporting cadence", " (the reports spoken of before)"
    return "", ""


def _no_longer(clause: Clause, reading: Reading) -> Proposal | None:
    found = _NO_LONGER.match(clause.text)
    if found is None or not _ANY_MORE.search(clause.text):
        return None
    words = _ANY_MORE.sub("", found.group("object")).strip()
    if not usable(words) and not known_topic(words):
        return None
    signals: tuple[Signal, ...] = ("negates", "replaces")
    return preference(clause, reading, "no_longer", topic_of(words), 80, signals=signals)


def _habit(clause: Clause, reading: Reading) -> Proposal | None:
    diet = _DIET.match(clause.text)
    found = diet or _HABIT.match(clause.text)
    if found is None or not usable(found.group("object")):
        return None
    words = found.group("object")
    head = clause.text[: span_of(found, "object")[0]].lower()
    turned = any(word in head for word in ("gone", "turned", "become", "went", "became"))
    if turned and known_topic(words) not in ("diet", "place of work"):
        return None
    if any(word in head for word in ("stopped", "quit", "given up", "gave up")) and not _GIVEN_UP.match(words):
        return None
    if _ROUTINE.match(head) and not known_topic(f"{head} {words}"):
        return None
    replaced = {"replaces": found.group("old")} if diet is None and found.group("old") else {}
    topic = (
        "allergy to " + noun_topic(words)
        if "allergic" in head or "intolerant" in head
        else topic_of(_GERUND.sub("", words))
    )
    return preference(clause, reading, "habit", topic, 75, **replaced)


def _plain_forms(clause: Clause, reading: Reading) -> Proposal | None:
    """Short forms that need a known topic: what I find better, how to reach me, where my things should go."""
    for rule, form in (("find", _FIND), ("reach", _REACH), ("should", _SHOULD), ("not_needed", _NOT_NEEDED)):
        found = form.match(clause.text)
        if found is None:
            continue
        words = found.group("object") or found.groupdict().get("other") or ""
        topic = "channel of contact" if rule == "reach" else known_topic(clause.text)
        lasting = topic in STABLE or topic in PLACED or has_cadence(words)
        if not topic or not lasting or POINTING.match(words):
            return None
        signals: tuple[Signal, ...] = ("negates", "replaces") if rule == "not_needed" else ()
        content = reading.voice.retell(clause.text)
        if clause.text[:2].lower() != "i " and clause.text[:2].lower() != "i'":
            content = f"{reading.voice.name} says that {reading.voice.others('', lowered(clause.text))}"
        return preference(clause, reading, rule, topic, 75, content, signals=signals)
    return None


_SPOKEN = (
    call_me,
    _prefer,
    _named,
    _no_longer,
    _taste,
    _habit,
    _plain_forms,
    _suits,
    no_more,
    _wish,
    lets,
    standing,
)
_ASKED = (request,)
_FOREIGN = (standing,)
