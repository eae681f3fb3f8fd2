"""Roles, employers, projects and who leads what; moves between them and their end."""

from typing import Any

from memoryapp.extraction.proposals import Mention, Moment, Proposal, Signal
from memoryapp.extraction.rules import dates, places
from memoryapp.extraction.rules.patterns import pattern, words
from memoryapp.extraction.rules.reading import Reading
from memoryapp.extraction.rules.sentences import Clause
from memoryapp.extraction.rules.topics import noun_topic

NAME = r"\p{Lu}[\p{L}\p{M}'-]*(?: \p{Lu}[\p{L}\p{M}'.-]*){0,2}"
THING = (
    r"(?:(?i:the) )?\p{Lu}[\p{L}\p{M}\p{N}'&+-]*(?: (?:(?:of|and|&|de|for|the)"
    r" )?[\p{Lu}\p{N}][\p{L}\p{M}\p{N}'&+-]*){0,4}"
)
_WHO = r"(?P<who>I|i|" + NAME + r"|(?i:my) \p{L}+ " + NAME + ")"
_ADVERB = (
    r"(?i:(?: (?:now|still|currently|also|just|recently|actually|formally|officially|mostly|finally"
    r"|only|already|both))*)"
)
_ROLE_END = (
    r"(?:manager|engineer|developer|designer|nurse|teacher|director|analyst|accountant|consultant"
    r"|lawyer|doctor|writer|chef|cook|student|professor|researcher|scientist"
    r"|assistant|co-?ordinator|officer|founder|co-founder|owner|administrator|admin|architect|editor"
    r"|journalist|photographer|artist|musician|carpenter|electrician|plumber"
    r"|pilot|driver|captain|clerk|buyer|planner|dispatcher|representative|specialist|technician"
    r"|intern|trainee|partner|president|secretary|treasurer|chair|chairman|chairwoman"
    r"|principal|supervisor|foreman|controller|bookkeeper|librarian|pharmacist|dentist|vet"
    r"|veterinarian|therapist|counsel+or|coach|trainer|instructor|baker|farmer|gardener"
    r"|translator|recruiter|producer|operator|lead|head|chief|ceo|cto|cfo|coo|vp|programmer|mechanic"
    r"|surgeon|midwife|paramedic|firefighter|barista|waiter|waitress|cashier"
    r"|lecturer|tutor|postdoc|paralegal|solicitor|barrister|notary|broker|trader|auditor|surveyor"
    r"|skipper|harbou?rmaster|storekeeper|receptionist|contractor|freelancer|executive"
    r"|associate|apprentice|machinist|welder|volunteer|maintainer|secretary-general|minister|mayor"
    r"|judge|advisor|adviser|strategist|copywriter|illustrator|animator|physiotherapist|psychologist"
    r"|biologist|chemist|physicist|statistician|economist|geologist|sommelier|stylist|florist|tailor"
    r"|potter|sculptor)"
)
_ROLE = (
    r"(?:(?:\p{L}[\p{L}\p{M}'/&-]* ){0,4}?"
    + _ROLE_END
    + r"(?: (?:of|for) (?:the )?[\p{L}][\p{L}&' -]{1,40}?)?|(?:vice )?(?:head|chief|director|vp|vice"
    r" president|lead) (?:of |for )?(?:\p{L}[\p{L}&'-]*)(?:(?: and| of)? \p{L}[\p{L}&'-]*){0,3}?)"
)
_IS_ROLE = pattern(
    r"^" + _WHO + r"(?:'m|'s| am| is|(?i: has become|'ve become| became| have become| was promoted to| got promoted"
    r" to| was appointed|'ve been promoted to| has been promoted to| has been appointed| was hired as"
    r"| got hired as| started as|'ve started as| will be))"
    + _ADVERB
    + r"(?i:(?: an?| the| our| their| my| as)*) (?P<role>(?i:"
    + _ROLE
    + r"))(?P<tail>(?: (?:at|with|in|for|of) (?P<where>"
    + THING
    + r"))?(?i:(?:,| now| here| these days| since .{2,30}| as of .{2,30}| from .{2,30}| until .{2,30}).*)?)$"
)
_WORKS_AS = pattern(
    r"^" + _WHO + _ADVERB + r"(?i: (?:work|works|'m working|am working|is working|'s working|got a (?:new )?job|started"
    r" (?:working|a new job|a job)|start(?:s)? (?:work(?:ing)?|a new job)))"
    + r"(?i:(?: (?:now|full[- ]time|part[- ]time|remotely))*) as (?i:an?|the) (?P<role>(?i:"
    + _ROLE
    + r"))(?: (?:at|for|with) (?P<where>"
    + THING
    + r"))?(?P<tail>(?i: (?:now|last|this|in|since|from|on|next|yesterday|today)\b.*)?)$"
)
_WORKS_AT = pattern(
    r"^"
    + _WHO
    + r"(?:'m|'s|'ve| am| is| has| have)?"
    + _ADVERB
    + r"(?P<verb>(?i: (?:works?|working|worked|been working|employed|been)(?: here)? (?:at|for|with)|"
    r" joined| joins| started(?: working| work| a (?:new )?job)? at| got (?:a|the) (?:new )?job (?:at"
    r"|with)| signed (?:on )?with| employed (?:at|by)| hired by))"
    + r" (?P<where>"
    + THING
    + r")(?P<tail>(?i:(?: (?:now|since|from|as of|last|this|next|in|on|for|until|yesterday|today|these"
    r" days|as|instead|again|full[- ]time|part[- ]time)\b.*|, .*)?))$"
)
_WORKS_ON = pattern(
    r"^"
    + _WHO
    + r"(?:'m|'s| am| is)?"
    + _ADVERB
    + r"(?i: (?:works?|working|assigned|been assigned|moved|been moved)(?: full[- ]time| part[- ]time|"
    r" mostly)? (?:on|to)) (?P<what>(?i:the )?(?i:project )?"
    + THING
    + r")(?P<kind>(?i: (?:project|team))?)(?P<tail>(?i:(?: (?:now|since|from|as of|these days|until"
    r"|last|this|next|in|on|instead|again|with|full[- ]time|part[- ]time)\b.*|, .*)?))$"
)
_MOVED = pattern(
    r"^"
    + _WHO
    + r"(?:'ve|'s| has| have| was| is| got|'m| am)?"
    + _ADVERB
    + r"(?P<verb>(?i: (?:moved|moving|transferred|switched|reassigned|switching|gone|went|moves"
    r"|relocated|changed)(?: over)?)) from (?i:the )?(?P<old>(?i:project )?"
    + THING
    + r")(?i: team| project)? (?i:over )?to (?P<new>(?i:the )?(?i:project )?"
    + THING
    + r")(?P<kind>(?i: (?:project|team))?)(?P<tail>(?i:(?: (?:now|since|from|as of|last|this|next|in|on"
    r"|to|yesterday|today|for|because|at|after)\b.*|, .*)?))$"
)
_LEFT = pattern(
    r"^"
    + _WHO
    + r"(?:'ve|'s|'m| has| have| am| is)?"
    + _ADVERB
    + r"(?P<verb>(?i: (?:left|quit|resigned from|retired from|no longer (?:works?|working|employed)"
    r" (?:at|for|with)|not (?:working )?(?:at|with)|no longer (?:at|with)|leaving|do(?:es)?(?:n't|"
    r" not) work (?:at|for)|stopped working (?:at|for)))) (?:my job at )?(?P<where>"
    + THING
    + r")(?P<tail>(?i:(?: .*|, .*)?))$"
)
_OFF = pattern(
    r"^"
    + _WHO
    + r"(?:'m|'s| am| is|'ve been| has been)?"
    + _ADVERB
    + r"(?i: (?:no longer works? on|no longer working on|no longer on|off|taken off|do(?:es)?(?:n't|"
    r" not) work on|stopped working on)) (?P<what>(?i:the )?(?i:project )?"
    + THING
    + r")(?P<kind>(?i: (?:project|team))?)(?P<tail>(?i:(?: (?:any ?more|now|since|from|as of).*)?))$"
)
_LEADS = pattern(
    r"^"
    + _WHO
    + _ADVERB
    + r"(?P<verb>(?i: (?:runs?|leads?|heads?(?: up)?|manages?|owns?|founded|co-founded|chairs?|took"
    r" over|takes over|is in charge of|am in charge of|is running|is leading|is managing"
    r"|coordinates))|'m (?:running|leading|managing|in charge of)) (?P<what>(?i:project )?"
    + THING
    + r")(?P<kind>(?i: (?:project|team|warehouse|office|account|desk))?)(?P<tail>(?i:(?: (?:now|since"
    r"|from|as of|until|these days|instead|again|last|this|next|in|on)\b.*|, .*)?))$"
)
_ANSWERS_TO = pattern(
    r"^(?i:my (?:new )?(?P<who>manager|boss|supervisor|line manager|team lead)(?: is(?: now)?|'s| will be)) (?P<name>"
    + NAME
    + r")(?P<tail>(?i:(?: (?:now|since|from|as of).*)?))$|^(?i:i(?: now)? (?:report|answer) to) (?P<to>"
    + NAME
    + r")(?P<tail2>(?i:(?: (?:now|since|from|as of).*)?))$"
)
_NOT_NAMES = words(
    "He She It This That They We You Who There Someone Everyone Everybody Nobody Anyone People Which"
    " What Where When How If So Then Here Yes No Also My Our The A An And But Or Both All Some Life"
    " Work Time Today Tomorrow Yesterday Monday Tuesday Wednesday Thursday Friday Saturday Sunday"
    " Mom Dad Mum Congrats Cool Wow Thanks Not Just Only"
)
_NOT_THINGS = words(
    "I Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April May"
    " June July August September October November December Christmas Easter Linux Windows Ubuntu"
    " Python Excel Java Mac Macos Android"
)
_ANY_MORE = pattern(r"(?i)\b(?:any ?more|any longer)\b")


def find(clause: Clause, reading: Reading) -> list[Proposal]:
    """A role with an employer is two statements, each its own property or edge; everything else is one."""
    if clause.asking:
        return []
    for form_pattern, form in _FORMS:
        found = form_pattern.match(clause.text)
        if found is not None:
            proposals: list[Proposal] = form(clause, reading, found)
            if proposals:
                return proposals
    return []


def who(found: Any, reading: Reading) -> Mention | None:
    """The person a statement is about, or nothing when the words name nobody we can tell."""
    said = found.group("who")
    if said.lower() == "i":
        return reading.self_mention if reading.first_person else None
    if said[:3].lower() == "my ":
        if not reading.first_person:
            return None
        said = said.split(" ", 2)[2]
    if said.split()[0] in _NOT_NAMES or (len(said) > 3 and said.isupper()):
        return None
    return reading.person(said)


def _thing(name: str) -> str:
    bare = name.strip()
    for article in ("the ", "The ", "project ", "Project "):
        bare = bare.removeprefix(article)
    return "" if bare.split()[0] in _NOT_THINGS or bare.removesuffix("s") in _NOT_THINGS else bare


def fact(
    clause: Clause,
    reading: Reading,
    person: Mention,
    *,
    rule: str,
    content: str = "",
    confidence: int = 80,
    signals: tuple[Signal, ...] = (),
    started: bool = False,
    **shape: Any,
) -> Proposal:
    """A property or edge of a person. With `started`, a past date in the clause ("joined last week") is its start."""
    if started and not shape.get("valid_from"):
        shape["valid_from"] = _past_start(clause, reading)
    if shape.get("object") is not None and shape.get("predicate") and "ends" not in signals:
        reading.met[shape["object"].name.casefold()] = shape["predicate"]
    mentions = (person, *((shape["object"],) if shape.get("object") else ()))
    words = shape.pop("words", None)
    return reading.propose(
        clause,
        rule=rule,
        kind=shape.pop("kind", "fact"),
        content=content or retold(clause, reading),
        confidence=confidence,
        words=words,
        owners=reading.owners_of(person),
        subject=person,
        signals=signals,
        mentions=mentions,
        **shape,
    )


def retold(clause: Clause, reading: Reading) -> str:
    if clause.text[:3].lower() == "my ":
        return f"{reading.voice.name}'s {reading.voice.others('', clause.text[3:])}"
    return reading.voice.retell(clause.text)


def _past_start(clause: Clause, reading: Reading) -> Moment | None:
    now = dates.local_now(reading.turn)
    for said in dates.said_dates(clause.text, reading.turn, past=True):
        if said.moment.at <= now and said.lead in ("", "in", "on", "since"):
            return said.moment
    return None


def _role(clause: Clause, reading: Reading, found: Any) -> list[Proposal]:
    person = who(found, reading)
    role = found.group("role").strip()
    where = _thing(found.group("where")) if found.group("where") else ""
    low = clause.text.lower()
    if (
        person is None
        or (role.lower().split()[-1] in ("lead",) and role.lower() == "lead")
        or role.lower().split()[0] in _NOT_ROLE_START
    ):
        return []
    changed: tuple[Signal, ...] = (
        ("replaces",)
        if any(word in low for word in ("promoted", "appointed", " now", "become", "became", "new job"))
        else ()
    )
    started = any(word in low for word in ("promoted", "appointed", "became", "started", "hired", "got a"))
    found_role = fact(
        clause,
        reading,
        person,
        rule="work.role",
        content=f"{person.name} is {_article(clause, role)}{role}",
        predicate="role",
        value=role,
        signals=changed,
        started=started,
    )
    if not where:
        return [found_role]
    employer = fact(
        clause,
        reading,
        person,
        rule="work.employer",
        content=f"{person.name} works at {where}",
        predicate="worksAt",
        object=Mention(where, "Organisation"),
        signals=changed,
        started=started,
    )
    return [found_role, employer]


_NOT_ROLE_START = words(
    "not no never always so very great good best huge big being going just one single only proud"
    " really such more too kind sort bit"
)


def _article(clause: Clause, role: str) -> str:
    for article in (" a ", " an ", " the "):
        if article + role.lower() in clause.text.lower():
            return article[1:]
    return ""


def _works_at(clause: Clause, reading: Reading, found: Any) -> list[Proposal]:
    person, where, verb = who(found, reading), _thing(found.group("where")), found.group("verb").lower().strip()
    if (
        person is None
        or not where
        or (verb == "been with" or verb == "been for")
        or (verb.startswith("work") and " with" in verb and where.casefold() in reading.people)
    ):
        return []
    if verb.startswith("worked") or (verb in ("works with", "work with", "working with") and len(where.split()) == 1):
        return []
    if (
        verb == "been at"
        and not reading.met.get(where.casefold())
        and " for " not in found.group("tail")
        and " since " not in found.group("tail")
    ):
        return []
    joined = verb.startswith(("join", "started", "got", "signed", "hired"))
    changed: tuple[Signal, ...] = ("replaces",) if joined or " now" in clause.text.lower() else ()
    return [
        fact(
            clause,
            reading,
            person,
            rule="work.employer",
            predicate="worksAt",
            object=Mention(where, "Organisation"),
            signals=changed,
            started=joined,
        )
    ]


def _works_on(clause: Clause, reading: Reading, found: Any) -> list[Proposal]:
    person, what = who(found, reading), _thing(found.group("what"))
    moved = " moved to" in clause.text or " assigned to" in clause.text
    if person is None or not what or (moved and not (found.group("kind") or "project " in found.group("what").lower())):
        return []
    changed: tuple[Signal, ...] = ("replaces",) if moved or " now" in clause.text.lower() else ()
    return [
        fact(
            clause,
            reading,
            person,
            rule="work.project",
            predicate="worksOn",
            object=Mention(what, "Project"),
            signals=changed,
            started=moved,
        )
    ]


_CLASS = {"worksOn": "Project", "worksAt": "Organisation", "livesIn": "Place"}


def _moved(clause: Clause, reading: Reading, found: Any) -> list[Proposal]:
    """From one to another: what kind of thing they are is known from the words, from earlier in the conversation, or
    from the short list of places; otherwise the predicate stays open and `replaces` names what it was."""
    person, old, new = who(found, reading), _thing(found.group("old")), _thing(found.group("new"))
    if person is None or not old or not new or old == new:
        return []
    project = (
        found.group("kind")
        or "project " in found.group("old").lower() + found.group("new").lower()
        or " team to " in clause.text
    )
    predicate = "worksOn" if project else reading.met.get(old.casefold()) or reading.met.get(new.casefold()) or ""
    if not predicate and (places.known(old) or places.known(new)):
        predicate = "livesIn"
    target = Mention(new, _CLASS.get(predicate, ""))
    signals: tuple[Signal, ...] = ("replaces",)
    if predicate:
        return [
            fact(
                clause,
                reading,
                person,
                rule="work.moved",
                predicate=predicate,
                object=target,
                replaces=old,
                signals=signals,
                started=True,
            )
        ]
    return [
        reading.propose(
            clause,
            rule="work.moved",
            kind="user",
            content=retold(clause, reading),
            confidence=65,
            owners=reading.owners_of(person),
            topic="",
            subject=person,
            object=target,
            replaces=old,
            signals=signals,
            mentions=(person, target),
            valid_from=_past_start(clause, reading),
        )
    ]


def _left(clause: Clause, reading: Reading, found: Any) -> list[Proposal]:
    person, where, verb = who(found, reading), _thing(found.group("where")), found.group("verb").lower().strip()
    if person is None or not where:
        return []
    negative = verb.startswith(("do", "not"))
    if negative and not _ANY_MORE.search(clause.text):
        return []
    predicate = reading.met.get(where.casefold()) or (
        "livesIn" if places.known(where) and verb in ("left", "leaving") else "worksAt"
    )
    if verb == "leaving" and not reading.met.get(where.casefold()):
        return []
    if (
        verb in ("left", "quit")
        and not reading.met.get(where.casefold())
        and (predicate == "livesIn" or " for " in clause.text or " behind" in clause.text)
    ):
        return []
    ended = _past_start(clause, reading)
    return [
        fact(
            clause,
            reading,
            person,
            rule="work.left",
            predicate=predicate,
            object=Mention(where, _CLASS.get(predicate, "")),
            signals=("ends",),
            valid_to=ended
            or Moment(dates.local_now(reading.turn).replace(hour=0, minute=0, second=0, microsecond=0), "day"),
        )
    ]


def _off(clause: Clause, reading: Reading, found: Any) -> list[Proposal]:
    person, what = who(found, reading), _thing(found.group("what"))
    if (
        person is None
        or not what
        or ("n't work" in clause.text and not _ANY_MORE.search(clause.text))
        or (" off " in clause.text and not found.group("kind") and what.casefold() not in reading.met)
    ):
        return []
    today = dates.local_now(reading.turn).replace(hour=0, minute=0, second=0, microsecond=0)
    return [
        fact(
            clause,
            reading,
            person,
            rule="work.left",
            predicate="worksOn",
            object=Mention(what, "Project"),
            signals=("ends",),
            valid_to=Moment(today, "day"),
        )
    ]


def _leads(clause: Clause, reading: Reading, found: Any) -> list[Proposal]:
    person, what = who(found, reading), _thing(found.group("what"))
    if person is None or not what or what.split()[0] in _NOT_NAMES:
        return []
    verb = found.group("verb").strip().lower()
    changed: tuple[Signal, ...] = (
        ("replaces",)
        if "took" in verb or "takes" in verb or " now" in clause.text.lower() or "instead" in clause.text.lower()
        else ()
    )
    kind = (
        "Project"
        if found.group("kind").strip().lower() == "project" or "project " in found.group("what").lower()
        else ""
    )
    predicate = "founded" if "founded" in verb else "leads"
    return [
        fact(
            clause, reading, person, rule="work.leads", predicate=predicate, object=Mention(what, kind), signals=changed
        )
    ]


def _answers_to(clause: Clause, reading: Reading, found: Any) -> list[Proposal]:
    name = found.group("name") or found.group("to")
    if not reading.first_person or name.split()[0] in _NOT_NAMES:
        return []
    changed: tuple[Signal, ...] = (
        ("replaces",) if " now" in clause.text.lower() or " new " in clause.text.lower() else ()
    )
    return [
        fact(
            clause,
            reading,
            reading.self_mention,
            rule="work.manager",
            predicate="reportsTo",
            object=reading.person(name),
            signals=changed,
            confidence=80,
        )
    ]


_FORMS: tuple[tuple[Any, Any], ...] = (
    (_LEFT, _left),
    (_OFF, _off),
    (_MOVED, _moved),
    (_WORKS_AS, _role),
    (_IS_ROLE, _role),
    (_WORKS_AT, _works_at),
    (_WORKS_ON, _works_on),
    (_LEADS, _leads),
    (_ANSWERS_TO, _answers_to),
)
__all__ = ["NAME", "THING", "fact", "find", "noun_topic", "retold", "who"]
