"""Tags every page may use: `{% load console %}`."""

from __future__ import annotations

import datetime as dt
import functools

from django import template
from django.template.context import RequestContext
from django.templatetags.static import static
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from memoryapp.access.models import Membership
from memoryapp.access.sessions import memberships_of
from memoryapp.console import navigation as places
from memoryapp.console import wording

register = template.Library()

WAYS = {"day": wording.day_words, "clock": wording.clock_words, "ago": wording.ago_words, "age": wording.age_words}


@register.simple_tag
@functools.lru_cache(maxsize=256)
def icon(name: str) -> SafeString:
    """A drawing beside words; screen readers skip it."""
    return format_html(
        '<svg class="icon" aria-hidden="true" focusable="false"><use href="{}#{}"></use></svg>',
        static("console/icons.svg"),
        name,
    )


@register.simple_tag
def badge(state: str) -> SafeString:
    """A state as a coloured word with its shape."""
    tone, words = wording.state_words(str(state))
    return format_html('<span class="badge badge--{}">{}</span>', tone, words)


@register.simple_tag
def kind(name: str) -> SafeString:
    """A declared kind or type, as a word."""
    return format_html('<span class="badge badge--kind">{}</span>', wording.name_words(str(name)))


@register.simple_tag
def moment(value: dt.datetime | None, way: str = "clock", precision: str = "") -> SafeString | str:
    """An instant in words, with the machine's form in `datetime` and on hover. `way`: day, clock, ago or age."""
    if not value:
        return ""
    words = wording.day_words(value, precision) if precision and way == "day" else WAYS[way](value)
    machine = wording.machine_words(value)
    return format_html('<time class="moment" datetime="{}" title="{}">{}</time>', machine, machine, words)


@register.simple_tag
def validity(
    valid_from: dt.datetime | None,
    valid_to: dt.datetime | None,
    from_precision: str = "instant",
    to_precision: str = "instant",
) -> SafeString:
    """When something was true, in words around machine-readable times. Intervals end before their end."""
    since = moment(valid_from, "day", from_precision)
    until = moment(valid_to, "day", to_precision)
    if valid_from and valid_to:
        return format_html("True from {} until {}", since, until)
    if valid_from:
        return format_html("True since {}", since)
    if valid_to:
        return format_html("True until {}", until)
    return format_html("{}", "True at all times, as far as is known")


@register.simple_tag
def word_diff(old: str, new: str, side: str = "both") -> SafeString:
    """The words that changed, as `ins` and `del`. `side` old or new leaves out what only the other has."""
    hidden = {"old": "ins", "new": "del"}.get(side, "")
    parts = []
    for stretch in wording.word_diff(old, new):
        if stretch.kind == hidden:
            continue
        if stretch.kind == "same":
            parts.append(format_html("{}", stretch.text))
        else:
            parts.append(format_html("<{}>{}</{}>", stretch.kind, stretch.text, stretch.kind))
    return format_html_join("", "{}", ((part,) for part in parts))


@register.simple_tag
def highlighted(text: str, start: int | None = None, end: int | None = None) -> SafeString:
    """A text with the quoted span marked. Positions count characters."""
    before, span, after = wording.around(text, start, end)
    if not span:
        return format_html("{}", before)
    return format_html("{}<mark>{}</mark>{}", before, span, after)


@register.filter
def initial(name: str) -> str:
    """The letter a person is marked with."""
    return str(name).strip()[:1] or "?"


@register.filter
def spaced(name: str) -> str:
    """A declared name as words: `long_term` reads `long term`, `reportsTo` reads `reports to`."""
    return wording.name_words(str(name))


@register.simple_tag(takes_context=True)
def navigation(context: RequestContext) -> list[places.Link]:
    """The rooms of the workspace this page belongs to; empty outside one."""
    request = context.get("request")
    by = getattr(request, "principal", None)
    return places.links(by, request.path) if request and by else []


@register.simple_tag(takes_context=True)
def memberships(context: RequestContext) -> list[Membership]:
    """The workspaces this account may enter."""
    request = context.get("request")
    if request is None or not request.user.is_authenticated:
        return []
    return memberships_of(request.user)


@register.simple_tag(takes_context=True)
def preference(context: RequestContext, name: str, otherwise: str = "") -> str:
    """What this account chose, or `otherwise`."""
    user = getattr(context.get("request"), "user", None)
    kept = getattr(user, "preferences", None) or {}
    return str(kept.get(name, otherwise))
