"""Roles, who leads what, and who answers to whom."""

from typing import Any

from memoryapp.extraction.proposals import Mention, Proposal, Signal
from memoryapp.extraction.rules.patterns import pattern, words
from memoryapp.extraction.rules.people import (
    ADVERB,
    NAME,
    NOT_NAMES,
    THING,
    WHO,
    fact,
    retold,
    thing,
    who,
)
from memoryapp.extraction.rules.reading import Reading, first_of
from memoryapp.extraction.rules.sentences import Clause

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
    r"^" + WHO + r"(?:'m|'s| am| is|(?i: has become|'ve become| became| have become| was promoted to| got promoted"
    r" to| was appointed|'ve been promoted to| has been promoted to| has been appointed| was hired as"
    r"| got hired as| started as|'ve started as| will be))"
    + ADVERB
    + r"(?i:(?: an?| the| our| their| my| as)*) (?P<role>(?i:"
    + _ROLE
    + r"))(?P<tail>(?: (?:at|with|in|for|of) (?P<where>"
    + THING
    + r"))?(?i:(?:,| now| here| these days| since .{2,30}| as of .{2,30}| from .{2,30}| until .{2,30}).*)?)$"
)
_WORKS_AS = pattern(
    r"^" + WHO + ADVERB + r"(?i: (?:work|works|'m working|am working|is working|'s working|got a (?:new )?job|started"
    r" (?:working|a new job|a job)|start(?:s)? (?:work(?:ing)?|a new job)))"
    + r"(?i:(?: (?:now|full[- ]time|part[- ]time|remotely))*) as (?i:an?|the) (?P<role>(?i:"
    + _ROLE
    + r"))(?: (?:at|for|with) (?P<where>"
    + THING
    + r"))?(?P<tail>(?i: (?:now|last|this|in|since|from|on|next|yesterday|today)\b.*)?)$"
)
_LEADS = pattern(
    r"^" + WHO + ADVERB + r"(?P<verb>(?i: (?:runs?|leads?|heads?(?: up)?|manages?|owns?|founded|co-founded|chairs?|took"
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
_NOT_ROLE_START = words(
    "not no never always so very great good best huge big being going just one single only proud"
    " really such more too kind sort bit"
)


def find(clause: Clause, reading: Reading) -> list[Proposal]:
    """A role with an employer is two statements, each its own property or edge; everything else is one."""
    return [] if clause.asking else first_of(_FORMS, clause, reading)


def _role(clause: Clause, reading: Reading, found: Any) -> list[Proposal]:
    person = who(found, reading)
    role = found.group("role").strip()
    where = thing(found.group("where")) if found.group("where") else ""
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
        object=Mention(where, "organization"),
        signals=changed,
        started=started,
    )
    return [found_role, employer]


def _article(clause: Clause, role: str) -> str:
    for article in (" a ", " an ", " the "):
        if article + role.lower() in clause.text.lower():
            return article[1:]
    return ""


_LEADING = {
    "manages": words("manage manages managing coordinates"),
    "owns": words("own owns"),
    "founded": words("founded co-founded chair chairs"),
}


def _leads(clause: Clause, reading: Reading, found: Any) -> list[Proposal]:
    person, what = who(found, reading), thing(found.group("what"))
    if person is None or not what or what.split()[0] in NOT_NAMES:
        return []
    verb = found.group("verb").strip().lower()
    changed: tuple[Signal, ...] = (
        ("replaces",)
        if "took" in verb or "takes" in verb or " now" in clause.text.lower() or "instead" in clause.text.lower()
        else ()
    )
    kind = (
        "project"
        if found.group("kind").strip().lower() == "project" or "project " in found.group("what").lower()
        else ""
    )
    predicate = next((name for name, verbs in _LEADING.items() if verb.rsplit(" ", 1)[-1] in verbs), "runs")
    if predicate == "founded":
        return [fact(clause, reading, person, rule="work.founded", kind="user", content=retold(clause, reading))]
    return [
        fact(
            clause, reading, person, rule="work.leads", predicate=predicate, object=Mention(what, kind), signals=changed
        )
    ]


def _answers_to(clause: Clause, reading: Reading, found: Any) -> list[Proposal]:
    name = found.group("name") or found.group("to")
    if not reading.first_person or name.split()[0] in NOT_NAMES:
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
    (_WORKS_AS, _role),
    (_IS_ROLE, _role),
    (_LEADS, _leads),
    (_ANSWERS_TO, _answers_to),
)
