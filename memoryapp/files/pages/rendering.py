"""Markdown as a page shows it: no markup of its own, no picture from elsewhere, links to files as addresses here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import nh3
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.token import Token

from memoryapp.files.links import leads_to

LONGEST = 200_000
"""Characters that are rendered; of a longer text the beginning."""
_TAGS = {
    *(
        "p",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "ul",
        "ol",
        "li",
        "blockquote",
        "pre",
        "code",
        "em",
        "strong",
        "s",
        "hr",
        "br",
    ),
    *("a", "table", "thead", "tbody", "tr", "th", "td"),
}


def rendered(text: str, path: str, address: Callable[[str], str]) -> SafeString:
    """A markdown text that stands at a path, as safe HTML. `address` gives the page of a path."""
    parser = MarkdownIt("commonmark", {"html": False, "maxNesting": 20}).enable(["table", "strikethrough"])
    parser.disable("image")
    tokens = parser.parse(text[:LONGEST])
    for token in tokens:
        _one_lower(token)
        for inner in token.children or ():
            _lead(inner, path, address)
    html = parser.renderer.render(tokens, parser.options, {})
    cleaned = nh3.clean(
        html,
        tags=_TAGS,
        attributes={"a": {"href"}, "th": set(), "td": set()},
        url_schemes={"http", "https", "mailto"},
        link_rel="noopener noreferrer nofollow",
    )
    return mark_safe(cleaned)


def _one_lower(token: Token) -> None:
    """The page has a first heading of its own."""
    if token.type in ("heading_open", "heading_close"):
        token.tag = f"h{min(6, int(token.tag[1]) + 1)}"


def _lead(token: Token, path: str, address: Callable[[str], str]) -> None:
    if token.type != "link_open":
        return
    there: Any = token.attrGet("href")
    target = leads_to(str(there), path)
    if target is not None:
        token.attrSet("href", address(target))
