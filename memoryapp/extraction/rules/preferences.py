"""Stated preferences and their changes: what somebody likes, would rather have, wants no more, asks for from now on."""

from typing import Any

from memoryapp.extraction.proposals import Proposal, Signal
from memoryapp.extraction.rules.patterns import pattern, span_of, words
from memoryapp.extraction.rules.reading import CHANGE, Reading, tidy
from memoryapp.extraction.rules.sentences import Clause
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
_STANDING_CUE = pattern(
    r"(?i)\b(?:always|never|from now on|going forward|in (?:the )?future|from here on|henceforth"
    r"|instead|no more|any ?more|any longer|only ever|by default|whenever|every time|each time)\b"
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
_BAD_OBJECT = pattern(
    r"(?i)^(?:it|that|this|these|those|them|him|her|he|she|they|you|your|yours|how|what|why|where"
    r"|when|which|who|the way|the fact|the idea|the thought|the sound|the look|being able"
    r"|hearing|seeing (?:you|your|that|it|how|them)|to (?:hear|see|know|think|say|add|ask|point|thank"
    r"|mention|be|talk to you|chat|share|get|do|go|have|make|keep|take|help|find|learn|try|come|join"
    r"|give|show|start)|talking (?:to|with)"
    r"|chatting|so much|a lot|more|one|ones|everything|anything|something|nothing|all of|all the|all"
    r" that|all|both|having you|getting to|and|or|but|too|such|there|here|as|sure|any|some|my|our|us"
    r"|me|him|her|his|their|its"
    r"|going (?:out )?with|sharing|supporting|watching (?:them|him|her|it)|things like that|stuff like that)(?:\b|$)"
)
_TO_PERSON = pattern(r"(?i)\b(?:you|your|yours)\b")
_THAN = pattern(r"(?i)\b(?:than|rather than|instead of)\b")
_THE = pattern(r"(?i)^(?:the|an?) ")
_PAST_VERB = pattern(r"(?i)\bi used to\b")


def find(clause: Clause, reading: Reading) -> list[Proposal]:
    """At most one preference a clause: the first form that fits."""
    forms = (_SPOKEN if not clause.asking else _ASKED) if reading.first_person else _FOREIGN
    for form in forms:
        found = form(clause, reading)
        if found is not None:
            return [found]
    return []


def _preference(
    clause: Clause, reading: Reading, rule: str, topic: str, confidence: int, content: str = "", **more: Any
) -> Proposal:
    signals: tuple[Signal, ...] = more.pop("signals", ())
    if CHANGE.search(clause.text) and "replaces" not in signals:
        signals = (*signals, "replaces")
    told = content or reading.voice.retell(clause.text)
    if clause.circumstance:
        told = f"{tidy(told)} ({reading.voice.others('', _lowered(clause.circumstance))})"
    return reading.propose(
        clause,
        rule=f"preference.{rule}",
        kind="preference",
        content=told,
        confidence=confidence,
        topic=topic,
        signals=signals,
        **more,
    )


_POINTING = pattern(r"(?i)^(?:\S+ ){0,3}(?:it|them|him|her|this|these|those|there|here|that)\b")


def _usable(words: str) -> bool:
    """Whether the words name a thing by themselves: nothing that only points at what was said before, nor at "you"."""
    return (
        not _POINTING.match(words) and not _BAD_OBJECT.match(words) and not _TO_PERSON.search(words) and len(words) > 1
    )


def _prefer(clause: Clause, reading: Reading) -> Proposal | None:
    found = _PREFER.match(clause.text)
    if found is None:
        return None
    words = found.group("object")
    if not known_topic(words) and (_BAD_OBJECT.match(words) and not words.lower().startswith("to ")):
        return None
    content = reading.voice.retell(clause.text)
    if clause.text[:6].lower() == "prefer":
        content = f"{reading.voice.name} prefers {reading.voice.others('', words)}"
    topic = topic_of(words.removeprefix("to "))
    return _preference(clause, reading, "prefer", topic, 85, content)


def _named(clause: Clause, reading: Reading) -> Proposal | None:
    found = _FAVOURITE.match(clause.text)
    slot = "favourite"
    if found is None:
        found = _NOUN.match(clause.text)
        slot = "preferred"
    if found is None or _BAD_OBJECT.match(found.group("object")):
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
    return _preference(clause, reading, slot, topic, 85, content)


def _taste(clause: Clause, reading: Reading) -> Proposal | None:
    found = _TASTE.match(clause.text)
    if found is None or _ANY_MORE.search(clause.text):
        return None
    words = found.group("object")
    if not _usable(words) or (_THE.match(words) and words[:4].lower() == "the "):
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
    return _preference(clause, reading, "taste", topic, 80, content)


_EMPTY = words("to of in on at for with by from up out off lot")


def _wish(clause: Clause, reading: Reading) -> Proposal | None:
    found = _WISH.match(clause.text)
    if found is None or clause.text.lower().startswith(("i need to know", "i'd like to know")):
        return None
    words = found.group("object")
    topic = known_topic(words)
    rather = "rather" in clause.text[: span_of(found, "object")[0]].lower() and bool(topic or _THAN.search(words))
    if not topic and not rather:
        return None
    if topic not in _STABLE and not rather and not has_cadence(words) and not _STANDING_CUE.search(words):
        return None
    content = reading.voice.retell(clause.text)
    if clause.text[:2].lower() == "it":
        content = f"{reading.voice.name} says that {reading.voice.others('', _lowered(clause.text))}"
    elif clause.text[:1].lower() in "pg":
        content = f"{reading.voice.name} asks for {reading.voice.others('', words)}"
    return _preference(clause, reading, "wish", topic or noun_topic(words), 80, content)


_STABLE = frozenset(
    {
        "reporting cadence",
        "seat",
        "diet",
        "reply length",
        "form of address",
        "theme",
        "channel of contact",
        "pronouns",
        "time format",
        "units",
    }
)


def _suits(clause: Clause, reading: Reading) -> Proposal | None:
    found = _SUITS.match(clause.text) or _WILL_DO.match(clause.text)
    if found is None:
        return None
    words = found.group("object") or found.groupdict().get("plain") or ""
    if words.split()[0].lower() in _NOT_A_THING or _TO_PERSON.search(words):
        return None
    topic, about = known_topic(words) or known_topic(clause.text), ""
    if not topic and has_cadence(words):
        topic, about = _carried(clause, reading)
    if not topic and _SUITS_ME.search(clause.text):
        topic = noun_topic(words)
    if not topic or topic.split()[-1] in _DAYS:
        return None
    content = f"For {reading.voice.name}, {reading.voice.others('', _lowered(clause.text))}{about}"
    return _preference(clause, reading, "suits", topic, 80, content)


_DAYS = words("monday tuesday wednesday thursday friday saturday sunday tomorrow today weekend week month")
_NOT_A_THING = words("that this it what which there everything these those they he she i we you life and all")


def _carried(clause: Clause, reading: Reading) -> tuple[str, str]:
    """ "Once a month is enough" says how often; what of, the sentence or turn before may have said."""
    for text in (clause.before, clause.previous, reading.before):
        if has_report(text):
            return "reporting cadence", " (the reports spoken of before)"
    return "", ""


def _lowered(words: str) -> str:
    return words if words[1:2].isupper() or words[:2] in ("I ", "I'") else words[:1].lower() + words[1:]


def _no_longer(clause: Clause, reading: Reading) -> Proposal | None:
    found = _NO_LONGER.match(clause.text)
    if found is None or not _ANY_MORE.search(clause.text):
        return None
    words = _ANY_MORE.sub("", found.group("object")).strip()
    if not _usable(words) and not known_topic(words):
        return None
    signals: tuple[Signal, ...] = ("negates", "replaces")
    return _preference(clause, reading, "no_longer", topic_of(words), 80, signals=signals)


def _habit(clause: Clause, reading: Reading) -> Proposal | None:
    diet = _DIET.match(clause.text)
    found = diet or _HABIT.match(clause.text)
    if found is None or not _usable(found.group("object")):
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
    return _preference(clause, reading, "habit", topic, 75, **replaced)


_GIVEN_UP = pattern(r"(?i)^(?:(?:eating|drinking|using|taking|buying|wearing|smoking|watching|reading) )?\p{L}+")
_ROUTINE = pattern(r"(?i)^i (?:\S+ ){1,3}(?:sit|take|fly|travel|pay|work|stay|book)\b")
_GERUND = pattern(r"(?i)^(?:eating|drinking|using|taking|buying|wearing|watching|reading) ")


def _plain_forms(clause: Clause, reading: Reading) -> Proposal | None:
    """Short forms that need a known topic: what I find better, how to reach me, where my things should go."""
    for rule, form in (("find", _FIND), ("reach", _REACH), ("should", _SHOULD), ("not_needed", _NOT_NEEDED)):
        found = form.match(clause.text)
        if found is None:
            continue
        words = found.group("object") or found.groupdict().get("other") or ""
        topic = "channel of contact" if rule == "reach" else known_topic(clause.text)
        lasting = topic in _STABLE or topic in _PLACED or has_cadence(words)
        if not topic or not lasting or _POINTING.match(words):
            return None
        signals: tuple[Signal, ...] = ("negates", "replaces") if rule == "not_needed" else ()
        content = reading.voice.retell(clause.text)
        if clause.text[:2].lower() != "i " and clause.text[:2].lower() != "i'":
            content = f"{reading.voice.name} says that {reading.voice.others('', _lowered(clause.text))}"
        return _preference(clause, reading, rule, topic, 75, content, signals=signals)
    return None


def _call_me(clause: Clause, reading: Reading) -> Proposal | None:
    found = _CALL_ME.match(clause.text)
    if found is None or found.group("object").lower() in _TIMES or found.group("object").isupper():
        return None
    name = found.group("object")
    return _preference(
        clause, reading, "call_me", "form of address", 85, f"{reading.voice.name} asks to be called {name}"
    )


_TIMES = words("monday tuesday wednesday thursday friday saturday sunday tomorrow later back when crazy lucky old")


def _no_more(clause: Clause, reading: Reading) -> Proposal | None:
    found = _NO_MORE.match(tidy(clause.text))
    if found is None:
        return None
    words = found.group("object")
    topic = known_topic(words) or ("reporting cadence" if has_report(words) else noun_topic(words))
    content = f"{reading.voice.name} wants no more {reading.voice.others('', words)}"
    return _preference(clause, reading, "no_more", topic, 70, content, signals=("negates", "replaces"))


def _standing(clause: Clause, reading: Reading) -> Proposal | None:
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
    cue = bool(_STANDING_CUE.search(clause.text)) and clause.text[:3].lower() not in ("you", "we ")
    topic = known_topic(found.group("words"))
    if cue and not topic and not _FIRMLY.search(clause.text):
        return None
    if not cue and not (topic and (topic in _STABLE or topic in _PLACED or has_cadence(clause.text))):
        return None
    return _preference(
        clause, reading, "standing", topic or _instruction_topic(verb), 75 if cue else 65, _asks(reading, verb, found)
    )


_FIRMLY = pattern(
    r"(?i)\b(?:always|never|from now on|going forward|in (?:the )?future|henceforth|any ?more|any"
    r" longer|by default|whenever|every time|each time|(?:me|my|us|our)\b.*instead)\b"
)
_NOUN_AFTER_ALL = pattern(r"(?i)^ (?:is|are|was|were|works?|suits?|would|will|can|has|have|had|and i|did|does|do)\b")
_PLACED = frozenset({"delivery address", "invoice recipient", "language", "tone"})


def _opens(clause: Clause) -> bool:
    """Whether an imperative begins a sentence: "we keep going and never give up" is no request."""
    before = clause.before.rstrip().casefold()
    return (
        not before or before.endswith((",", ";", ":", "-", "–", "—", "please", ")")) or before in ("so", "and", "also")
    )


_IDIOM = pattern(
    r"(?i)^(?:never|don't|do not|always|only|keep|just)? ?(?:ever )?(?:give up|keep (?:it up|up|going"
    r"|on|at|in)|stop(?: it| that| this| there|$)|forget|lose|mind|worry|look back"
    r"|say never|be|hesitate|remember|take|let|get|have|make (?:me|you)|know|think|do)\b"
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
    return _preference(
        clause,
        reading,
        "wanted",
        topic,
        70,
        f"{reading.voice.name} asks for {reading.voice.others('', _lowered(words))}",
    )


_HAS_VERB = pattern(
    r"(?i)\b(?:is|are|was|were|will|would|i|you|we|he|she|they|it|did|does|do|got|sent|had|has|works?"
    r"|suits?)\b"
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


def _lets(clause: Clause, reading: Reading) -> Proposal | None:
    found = _LETS.match(clause.text)
    topic = known_topic(found.group("words")) if found else ""
    if found is None or not topic or not (has_cadence(clause.text) or topic in _STABLE):
        return None
    return _preference(
        clause,
        reading,
        "lets",
        topic,
        70,
        f"{reading.voice.name} proposes to {reading.voice.others('', found.group('words'))}",
    )


def _request(clause: Clause, reading: Reading) -> Proposal | None:
    found = _REQUEST.match(clause.text)
    if found is None:
        return None
    words = found.group("words") or found.group("more") or found.group("gerund")
    topic = known_topic(words)
    if not topic or not (has_cadence(words) or _STANDING_CUE.search(words)):
        return None
    to = "" if found.group("gerund") else "to "
    content = f"{reading.voice.name} asks {to or 'for '}{reading.voice.others('', words)}"
    return _preference(clause, reading, "request", topic, 65, content, signals=("requested",))


_SPOKEN = (
    _call_me,
    _prefer,
    _named,
    _no_longer,
    _taste,
    _habit,
    _plain_forms,
    _suits,
    _no_more,
    _wish,
    _lets,
    _standing,
)
_ASKED = (_request,)
_FOREIGN = (_standing,)
