"""Which slot a statement fills. First a small lexicon of the things people set once for their assistant (how often to
report, where to deliver, which seat...); for what it does not know, the head of the noun phrase, in the singular."""

from memoryapp.extraction.rules.patterns import pattern, words

_CADENCE = (
    r"(?:daily|weekly|monthly|quarterly|yearly|annual|annually|bi-?weekly|bi-?monthly|fortnightly"
    r"|twice-weekly|hourly|nightly"
    r"|(?:each|every) (?:single |other |second |two |three |four |few |\d+ )?(?:day|morning|evening"
    r"|night|week|month|quarter|year|fortnight|monday"
    r"|tuesday|wednesday|thursday|friday|saturday|sunday|weekday)s?|(?:once|twice|two times|three"
    r" times) (?:a|per|each|every|in a) (?:day|week|month"
    r"|quarter|year|fortnight)|per (?:day|week|month|quarter)|(?:one|two|three|an?|single) (?:\p{L}+"
    r" ){0,3}(?:a|per|each|every) (?:day|week|month|quarter|year)"
    r"|(?:on )?(?:mondays|tuesdays|wednesdays|thursdays|fridays|weekdays)|(?:at )?(?:the )?end of"
    r" (?:the|each|every) (?:day|week|month|quarter)|week's end|month-end"
    r"|less (?:often|frequent(?:ly)?)|more (?:often|frequent(?:ly)?)|fewer|how often)"
)
_REPORT = (
    r"(?:status|updates?|reports?|reporting|summary|summaries|digests?|newsletters?|recaps?"
    r"|round-?ups?|briefings?|run-?downs?"
    r"|overviews?|bulletins?|progress|check-ins?|wrap-?ups?|write-?ups?|e-?mails?|emailed|mails?"
    r"|dispatch(?:es)?|news|notes?|brief|figures|statistics|stats|sum-?up|readout)"
)
_LANGUAGE = (
    r"(?:english|french|german|spanish|italian|portuguese|dutch|polish|russian|ukrainian|swedish"
    r"|norwegian|danish|finnish|greek|turkish|arabic"
    r"|hebrew|hindi|urdu|bengali|chinese|mandarin|cantonese|japanese|korean|thai|vietnamese|welsh"
    r"|irish|catalan|czech|hungarian|romanian)"
)
_ANSWER = (
    r"(?:repl(?:y|ies)|answers?|responses?|messages?|explanations?|e-?mails?|write|writing|respond"
    r"|sentences|replying|answering|summaries)"
)
_MEETING = (
    r"(?:meetings?|meet|stand-?ups?|calls?|sync(?:s|-ups?)?|catch-?ups?|one-on-ones?|1:1s?|sessions?"
    r"|reviews?|appointments?|interviews?)"
)
_CHANNEL = (
    r"(?:phone|text(?:s|ed|ing)?|sms|e-?mail(?:s|ed|ing)?|call(?:s|ed|ing)?|whatsapp|slack|signal"
    r"|telegram|teams|letters?|post|chat|voicemail|video|ring)"
)

_LEXICON: tuple[tuple[str, str], ...] = (
    (
        "delivery address",
        r"\b(?:deliver(?:y|ies|ed|ing)?|ship(?:ments?|ped|ping)?|parcels?|packages?|orders?"
        r"|courier)\b.*\b(?:to|at|address|goes|go|sent)\b|\bsend (?:the )?(?:parcels?|packages?)\b",
    ),
    ("form of address", r"\b(?:go by|address me|first name|last name|surname|nickname)\b"),
    ("pronouns", r"\bpronouns\b"),
    (
        "seat",
        r"\b(?:window|aisle|middle)(?: or (?:window|aisle))?(?:-| )?(?:seats?|side)?\b.*\b(?:seats?"
        r"|flights?|fly|flying|plane|train)\b|\b(?:window|aisle|exit row|front|back|middle)(?:-row)?"
        r" seats?\b|\b(?:on|by) the (?:aisle|window)\b|\bthe (?:aisle|window)$",
    ),
    (
        "diet",
        r"\b(?:vegan|vegetarian|pescatarian|gluten|dairy|lactose|halal|kosher|meat|meat-free|plant-based"
        r"|keto|low-carb|diet)\b",
    ),
    (
        "language",
        r"\bin (?:plain |simple )?"
        + _LANGUAGE
        + r"\b|\b(?:use|prefer|speak|switch to|instead of|over) "
        + _LANGUAGE
        + r"\b|^"
        + _LANGUAGE
        + r"\b",
    ),
    (
        "reporting cadence",
        r"\b"
        + _CADENCE
        + r"\b.*\b"
        + _REPORT
        + r"\b|\b"
        + _REPORT
        + r"\b.*\b"
        + _CADENCE
        + r"\b|\b(?:an?|one|two|single) (?:\p{L}+ ){0,2}"
        + _REPORT
        + r" (?:a|per|each|every) (?:day|week|fortnight|month|quarter|year)\b",
    ),
    (
        "reply length",
        r"\b(?:short(?:er)?|brief(?:er)?|terse|concise|succinct|long(?:er)?|detailed|crisp|to the point"
        r"|verbose|in-depth|compact|lengthy|thorough|one-line|bullet points?)\b.*\b"
        + _ANSWER
        + r"\b|\b"
        + _ANSWER
        + r"\b.*\b(?:short(?:er)?|brief(?:er)?|terse|concise|succinct|long(?:er)?|detailed|crisp|to the"
        r" point|verbose|compact)\b|\bkeep it (?:short|brief|concise)\b",
    ),
    (
        "tone",
        r"\b(?:formal|informal|casual|friendly|polite|businesslike|professional|direct|emojis?"
        r"|exclamation marks?|humou?r|small talk|tone)\b",
    ),
    (
        "meeting time",
        r"\b" + _MEETING + r"\b.*\b(?:mornings?|afternoons?|evenings?|noon|lunch|o'clock|am|pm|early|late|earlier|later"
        r"|\d{1,2}(?::\d\d)?|monday|tuesday|wednesday|thursday|friday)s?\b|\b(?:morning|afternoon|evening"
        r"|early|late|lunchtime)s? (?:\p{L}+ )?" + _MEETING + r"\b",
    ),
    (
        "channel of contact",
        r"\b(?:reach|contact|tell|notify|ping|message|inform|alert|get (?:hold of|in touch with)) (?:me"
        r"|us)\b.*\b"
        + _CHANNEL
        + r"\b|\b"
        + _CHANNEL
        + r"\b.*\b(?:rather than|instead of|over|not|to|than|and not)\b.*\b"
        + _CHANNEL
        + r"\b|\b(?:by|over|via|through|on) (?:the )?"
        + _CHANNEL
        + r"$|\b(?:be (?:called|texted|emailed|phoned|messaged|contacted|reached))\b|\b(?:text|email|call"
        r"|phone|ring|message) me (?:instead|always)\b",
    ),
    ("theme", r"\b(?:dark|light)(?:-| )(?:mode|theme|background)\b"),
    ("units", r"\b(?:metric|imperial|celsius|fahrenheit|kilomet(?:er|re)s|miles|kilograms?|pounds)\b"),
    ("time format", r"\b(?:24|12)(?:-| )?hours?(?: clock| format| time)?\b|\bmilitary time\b"),
    ("date format", r"\bdate format\b|\b(?:dd/mm|mm/dd|yyyy-mm)"),
    (
        "currency",
        r"\b(?:in|currency|show|use) (?:\p{L}+ )?(?:euros?|dollars|usd|eur|gbp|sterling|yen|francs)\b"
        r"|\b(?:prices|amounts) in\b",
    ),
    (
        "file format",
        r"\b(?:pdfs?|docx?|word documents?|spreadsheets?|excel|csv|markdown|plain text|html|powerpoint"
        r"|google docs?)\b",
    ),
    (
        "payment method",
        r"\b(?:pay(?:ing|ments?)?|paid|bill(?:ed|ing)?|invoiced?)\b.*\b(?:card|cash|transfer|invoice"
        r"|debit|cheque|check|paypal|credit)\b",
    ),
    (
        "invoice recipient",
        r"\b(?:send|address|forward|mail|email|direct|route) (?:\p{L}+ ){0,3}invoices? (?:\p{L}+"
        r" ){0,2}to\b|\binvoices? (?:\p{L}+ ){0,3}(?:go|to|sent)\b",
    ),
    (
        "place of work",
        r"\b(?:work(?:ing)?) (?:\p{L}+ )?(?:remote(?:ly)?|from home|in the office|on-?site|from the"
        r" office)\b|\b(?:home office|remote work|hybrid)\b",
    ),
    (
        "travel mode",
        r"\b(?:by|take|taking|the) (?:train|trains|plane|planes|car|bus|ferry)\b|\b(?:fly(?:ing)?"
        r"|driv(?:e|ing)|trains?)\b.*\b(?:over|than|to|instead)\b.*\b(?:fly(?:ing)?|driv(?:e|ing)|trains?"
        r"|planes?|bus(?:es)?)\b",
    ),
    ("notifications", r"\b(?:notifications?|alerts?|push messages|notify)\b"),
    (
        "hotel room",
        r"\b(?:hotel|rooms?)\b.*\b(?:quiet|floor|street|smoking|twin|double|high|low|view)\b|\b(?:quiet"
        r"|high-floor|non-smoking|twin|double) rooms?\b",
    ),
    ("hot drink", r"\b(?:coffee|tea|espresso|cappuccino|decaf|latte|green tea|black tea|herbal tea|hot chocolate)\b"),
    ("milk", r"\b(?:oat|soy|soya|almond|cow's|skimmed|whole) milk\b"),
    (
        "working hours",
        r"\b(?:start|finish|begin|stop|work(?:ing)?) (?:\p{L}+ )?(?:at|until|from|before|after|on) (?:\d"
        r"|nine|eight|ten|seven|six|weekends|fridays|mondays)|\bworking hours\b|\boffice hours\b",
    ),
    ("sign-off", r"\b(?:sign (?:off|it|them)|signature|sign-off)\b"),
    ("music", r"\bbackground music\b"),
)
_COMPILED = tuple((name, pattern("(?i)" + expression)) for name, expression in _LEXICON)
_ANY = pattern("(?i)" + "|".join(f"(?:{expression})" for _, expression in _LEXICON))
_CADENCE_ALONE = pattern(r"(?i)\b" + _CADENCE + r"\b")
_REPORT_ALONE = pattern(r"(?i)\b" + _REPORT + r"\b")
_STOP = pattern(
    r"(?i)(?:^|\s)(?:to|than|over|when|whenever|for|in|on|at|with|without|from|by|after|before"
    r"|because|since|if|instead|rather|that|which|who"
    r"|during|about|as|and|or|but|is|are|so|too|now|more|anymore|any|these|lately|very|at|again|every"
    r"|each|not|until|while|where|like|especially|even)(?:\s|$)"
)
_DETERMINER = pattern(
    r"(?i)^(?:(?:a|an|the|my|our|some|any|all|more|most|much|many|no|both|his|her|their|its|having"
    r"|getting|receiving|eating|drinking"
    r"|using|watching|reading|playing|listening to|going to|to|the taste of|the smell of|bit of|lots"
    r" of|a lot of|fresh|new|good|great)\s+)+"
)
_WORD = pattern(r"[\p{L}\p{N}][\p{L}\p{M}\p{N}'&+#-]*")
_PLURAL = (("ies", "y"), ("sses", "ss"), ("shes", "sh"), ("ches", "ch"), ("xes", "x"))
_SINGULAR = words("news series species glass bus gas class process business success access address canvas tennis")


def known_topic(words: str) -> str:
    """The topic the lexicon knows for these words, or nothing."""
    if _ANY.search(words) is None:
        return ""
    return next((name for name, known in _COMPILED if known.search(words)), "")


def has_cadence(words: str) -> bool:
    """Whether the words say how often."""
    return _CADENCE_ALONE.search(words) is not None


def has_report(words: str) -> bool:
    """Whether the words name something regularly sent."""
    return _REPORT_ALONE.search(words) is not None


def noun_topic(words: str, *, head_only: bool = False) -> str:
    """The noun phrase the words begin with, without determiners, in the singular, casefolded; its last word alone when
    `head_only`."""
    phrase = _DETERMINER.sub("", words.strip())
    stop = _STOP.search(phrase)
    if stop is not None and stop.start() > 0:
        phrase = phrase[: stop.start()]
    if stop is not None and stop.start() == 0 and head_only:
        return ""
    if stop is not None and stop.start() == 0:
        phrase = words.strip()
    found = [match.group().casefold() for match in _WORD.finditer(phrase)][:4]
    if not found:
        return ""
    found[-1] = singular(found[-1])
    return found[-1] if head_only else " ".join(found)


def topic_of(words: str) -> str:
    """The known topic, or the noun phrase."""
    return known_topic(words) or noun_topic(words)


def singular(word: str) -> str:
    """A plain English plural in the singular; anything else as it is."""
    if word in _SINGULAR or len(word) < 4:
        return word
    for ending, one in _PLURAL:
        if word.endswith(ending) and len(word) > len(ending) + 1:
            return word[: -len(ending)] + one
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word
