"""How to reach somebody: e-mail, telephone, postal address, and a few plain particulars (birthday, time zone)."""

from typing import Any

from memoryapp.extraction.proposals import Mention, Proposal, Signal
from memoryapp.extraction.rules import dates
from memoryapp.extraction.rules.patterns import pattern, span_of
from memoryapp.extraction.rules.reading import Reading
from memoryapp.extraction.rules.sentences import Clause

EMAIL = r"[\p{L}\p{N}][\p{L}\p{N}._%+-]*@[\p{L}\p{N}][\p{L}\p{N}-]*(?:\.[\p{L}\p{N}-]+)+"
PHONE = r"\+?\(?\d[\d ()./-]{4,20}\d"
_NAME = r"\p{Lu}[\p{L}\p{M}'-]+(?: \p{Lu}[\p{L}\p{M}'-]+){0,2}"
_WHOSE = r"(?P<whose>(?i:my)|" + _NAME + r"'s?)"
_AGE = (
    r"(?P<age>(?i: (?:new|updated|current|work|personal|home|private|business|direct|main|best"
    r"|correct|office|own|other))*)"
)
_IS = (
    r"(?i:,? (?:is|has changed to|changed to|will be|is changing to|is still|'s)(?: now)?(?:"
    r" always)?:?|:|'s(?: now)?) "
)

_EMAIL = pattern(
    r"^"
    + _WHOSE
    + _AGE
    + r"(?i: (?:e-?mail(?: address| id)?|mail address|address))"
    + _IS
    + r"(?P<value>"
    + EMAIL
    + r")\b(?P<rest>.*)$"
)
_EMAIL_AT = pattern(
    r"(?i)^(?:(?:please )?(?:you can |just |best to )?(?:e-?mail|write(?: to)?|reach|contact|message)"
    r" (?P<whose>me) (?:at|on|via)|i(?:'m| am) (?:reachable|available) (?:at|on)|i can (?:now )?be"
    r" reached (?:at|on|by e-?mail at)) (?P<value>" + EMAIL + r")\b(?P<rest>.*)$"
)
_PHONE = pattern(
    r"^" + _WHOSE + _AGE + r"(?i: (?:(?:tele)?phone(?: number)?|mobile(?: number)?|cell(?:phone)?(?: number)?|number"
    r"|landline|whatsapp(?: number)?|contact number|extension|line))" + _IS + r"(?P<value>" + PHONE + r")(?P<rest>.*)$"
)
_PHONE_AT = pattern(
    r"(?i)^(?:(?:please )?(?:you can |just |best to )?(?:call|ring|phone|text|reach|contact)"
    r" (?P<whose>me) (?:at|on)|i can (?:now )?be reached (?:at|on|by phone at|by phone on)|i(?:'m|"
    r" am) (?:reachable|available) (?:at|on)) (?P<value>" + PHONE + r")(?P<rest>.*)$"
)
_ADDRESS = pattern(
    r"^" + _WHOSE + r"(?P<age>(?i: (?:new|updated|current|correct))*)(?: (?P<sort>(?i:home|postal|mailing|street"
    r"|office|work|billing|delivery|shipping)))? (?i:address)" + _IS + r"(?P<value>[\p{L}\p{N}][^@]{4,120})$"
)
_CHANGED = pattern(
    r"(?i)^(?:i(?:'ve| have)? (?:just |recently |now |finally )*(?:changed|switched|updated|moved) (?P<whose>my)"
    + _AGE
    + r" (?P<what>(?:(?:tele)?phone|mobile|cell(?:phone)?|contact|whatsapp)(?: number)?|number|e-?mail(?: address)?"
    r"|mail address) to|i(?:'ve got| have got| have| got|'ve)(?: just)? a new"
    r" (?P<new>(?:(?:tele)?phone|mobile|cell(?:phone)?|contact|whatsapp)(?: number)?|number|e-?mail(?: address)?"
    r"|mail address)(?: now)?(?::|,|;| -)?(?: it'?s| it is)?) (?P<value>" + EMAIL + r"|" + PHONE + r")(?P<rest>.*)$"
)
_MOVED = pattern(
    r"(?i)^i(?:'ve| have)? (?:just |recently |now )*(?:changed|updated) (?P<whose>my)(?P<age>(?: (?:new|postal|mailing"
    r"|street))*)(?P<sort> home)? address to (?P<value>[\p{L}\p{N}][^@]{4,120})$"
)
_GONE = pattern(
    r"^(?P<value>"
    + EMAIL
    + r"|"
    + PHONE
    + r")(?i: (?:is no longer|isn't|is not) my (?:\p{L}+ ){0,2}(?P<what>e-?mail|number|phone|mobile"
    r"|address))(?P<rest>.*)$"
)
_BIRTHDAY = pattern(
    r"^" + _WHOSE + r"(?i: birthday(?: is|'s)(?: on)?) (?P<value>(?i:the )?[\p{L}\p{N}][\p{L}\p{N} ,]{3,30})$"
)
_ZONE = pattern(
    r"^" + _WHOSE + r"(?i: (?:current |home )?time ?zone is(?: now)?) (?P<value>\p{Lu}[\p{L}\p{N}/_+: -]{1,40})$"
)
_BORN = pattern(r"(?i)^i was born on (?P<value>(?:the )?[\p{L}\p{N}][\p{L}\p{N} ,]{3,30})$")
_DIGITS = pattern(r"\d")
_A_DATE = pattern(
    r"(?i)\d.*(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)|(?:jan|feb|mar|apr|may|jun|jul|aug"
    r"|sep|oct|nov|dec)\p{L}* (?:the )?\d"
)
_NOT_THE_OLD = pattern(r"(?i)^,? (?:and )?not ")
_YEAR = pattern(r"\b(?:19|20)\d\d\b")
_NO_LONGER = pattern(r"(?i)^,? ?(?:any ?more|no longer|is wrong|doesn't work)")
_BEFORE = pattern(r"(?i)^(?:old|former|previous)\b")
_BESIDES = pattern(r"\b(?:work|personal|home|private|business|office|direct|other|own)\b")
"""A number or address of a sort of its own, beside others: a new one of it says nothing about the others."""
_FORMS: tuple[tuple[Any, str, str], ...] = (
    (_EMAIL, "email", "e-mail address"),
    (_EMAIL_AT, "email", "e-mail address"),
    (_PHONE, "phone", "phone number"),
    (_PHONE_AT, "phone", "phone number"),
    (_ZONE, "time_zone", "time zone"),
    (_BIRTHDAY, "birthday", "birthday"),
    (_BORN, "birthday", "birthday"),
)


def find(clause: Clause, reading: Reading) -> list[Proposal]:
    """One property of one person a clause."""
    if clause.asking:
        return []
    gone = _GONE.match(clause.text)
    if gone is not None and reading.first_person:
        predicate = "email" if "@" in gone.group("value") else "phone"
        return [
            _property(
                clause,
                reading,
                reading.self_mention,
                predicate,
                gone.group("value"),
                reading.voice.others("", clause.text).replace(" their ", f" {reading.voice.name}'s ", 1),
                ("ends",),
            )
        ]
    changed = _CHANGED.match(clause.text)
    if changed is not None:
        predicate, label = ("email", "e-mail address") if "@" in changed.group("value") else ("phone", "phone number")
        said_mail = "mail" in (changed.group("what") or changed.group("new")).lower()
        return _found(clause, reading, changed, predicate, label) if said_mail == (predicate == "email") else []
    for form_pattern, predicate, label in _FORMS:
        found = form_pattern.match(clause.text)
        if found is not None:
            return _found(clause, reading, found, predicate, label)
    found = _ADDRESS.match(clause.text) or _MOVED.match(clause.text)
    return _address(clause, reading, found) if found is not None else []


def _whose(found: Any, reading: Reading) -> Mention | None:
    whose = found.groupdict().get("whose") or "me"
    if whose.lower() in ("my", "me"):
        return reading.self_mention if reading.first_person else None
    return reading.person(whose.removesuffix("'s").removesuffix("'"))


def _found(clause: Clause, reading: Reading, found: Any, predicate: str, label: str) -> list[Proposal]:
    person = _whose(found, reading)
    value = found.group("value").strip(" .,-")
    rest = found.groupdict().get("rest") or ""
    if person is None or _NO_LONGER.match(rest) or (predicate == "phone" and len(_DIGITS.findall(value)) < 6):
        return []
    if predicate == "birthday" and not _A_DATE.search(value):
        return []
    age = (found.groupdict().get("age") or "").lower()
    anew = found.re is _CHANGED or "new" in age or "updated" in age
    anew = anew or any(word in clause.text.lower() for word in (" now ", "changed"))
    replaces = anew and not _BESIDES.search(age)
    denied = _NOT_THE_OLD.match(rest)
    if predicate == "phone":
        value = value.replace("(", "").replace(")", "")
    content = f"{person.name}'s {label} is {value}"
    quoted = clause.text[: span_of(found, "value")[1]].rstrip(" .,-") if rest else clause.text
    if predicate == "birthday":
        return [_birthday(clause, reading, person, content)]
    signals: tuple[Signal, ...] = ("corrects", "replaces") if denied else ("replaces",) if replaces else ()
    return [_property(clause, reading, person, predicate, value, content, signals, quoted)]


def _birthday(clause: Clause, reading: Reading, person: Mention, content: str) -> Proposal:
    """A full date is a property; a day without its year is no date, and stays a statement."""
    dated = dates.said_dates(clause.text, reading.turn, past=True)
    if dated and _YEAR.search(clause.text):
        return _property(clause, reading, person, "birthday", dated[0].moment.as_text(), content, ())
    return reading.propose(
        clause,
        rule="contact.birthday",
        kind="user",
        content=content,
        confidence=85,
        owners=reading.owners_of(person),
        topic="birthday",
        mentions=(person,),
        ranged=False,
    )


def _property(
    clause: Clause,
    reading: Reading,
    person: Mention,
    predicate: str,
    value: str,
    content: str,
    signals: tuple[Signal, ...],
    words: str | None = None,
) -> Proposal:
    return reading.propose(
        clause,
        rule=f"contact.{predicate}",
        kind="fact",
        content=content,
        confidence=90,
        words=words,
        owners=reading.owners_of(person),
        subject=person,
        predicate=predicate,
        value=value,
        mentions=(person,),
        signals=signals,
    )


def _address(clause: Clause, reading: Reading, found: Any) -> list[Proposal]:
    person, value = _whose(found, reading), found.group("value").strip(" .,")
    sort = (found.group("sort") or "").lower()
    if person is None or not (_DIGITS.search(value) or value[:1].isupper()):
        return []
    anew = found.re is _MOVED or "new" in found.group("age").lower() or " now " in clause.text
    signals: tuple[Signal, ...] = ("replaces",) if anew or "changed" in clause.text else ()
    if sort in ("delivery", "shipping"):
        content = f"{person.name}'s {sort} address is {value}"
        return [
            reading.propose(
                clause,
                rule="contact.delivery",
                kind="preference",
                content=content,
                confidence=85,
                owners=reading.owners_of(person),
                topic="delivery address",
                signals=signals,
                mentions=(person,),
            )
        ]
    content = f"{person.name}'s {sort + ' ' if sort else ''}address is {value}"
    return [_property(clause, reading, person, "address", value, content, signals)]
