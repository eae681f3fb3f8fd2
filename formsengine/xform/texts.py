"""Texts of an XForm in all its languages: told where they stand, or named among its translations."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from xml.etree.ElementTree import Element

NAMED = re.compile(r"^\s*jr:itext\(\s*'([^']*)'\s*\)\s*$")
MEDIA = {"image": "media::image", "audio": "media::audio", "video": "media::video", "big-image": "media::big-image"}


@dataclass(frozen=True, slots=True)
class Left:
    """Something of the form that has no meaning here, and why; kept, and in the way of publishing if it `blocks`."""

    where: str
    text: str
    why: str
    blocks: bool = True


def local(element: Element) -> str:
    """The name without its namespace; of a comment or an instruction, none."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


class Texts:
    """`output` says what an <output> within a text is written as."""

    def __init__(self, model: Element, output: Callable[[str], str]) -> None:
        self.output = output
        self.default = ""
        self.known: dict[str, dict[tuple[str, str], Element]] = {}
        """By id: what stands for it, by form of the text and language."""
        for translation in (each for each in model.iter() if local(each) == "translation"):
            language = translation.get("lang", "")
            if "default" in translation.attrib or not self.default:
                self.default = language
            for text in translation:
                for value in text:
                    key = (value.get("form", ""), language)
                    self.known.setdefault(text.get("id", ""), {})[key] = value

    def of(self, element: Element) -> dict[str, str]:
        """The label and the hint of a question or group, as cells by column."""
        found: dict[str, str] = {}
        for each in element:
            if local(each) in ("label", "hint"):
                reference = NAMED.match(each.get("ref", ""))
                found |= self.named(reference[1], local(each)) if reference else self._plain(each, local(each))
        return found

    def told(self, text: str, column: str) -> dict[str, str]:
        """A text of an attribute."""
        reference = NAMED.match(text)
        return self.named(reference[1], column) if reference else {column: text}

    def named(self, id: str, column: str) -> dict[str, str]:
        """A text by its id, in each language; pictures and sounds beside it."""
        found = {}
        for (form, language), value in self.known.get(id, {}).items():
            if form in MEDIA:
                found[f"{MEDIA[form]}::{language}"] = self.words(value).rpartition("/")[2]
            elif form in ("", "long"):
                found[f"{column}::{language}"] = self.words(value)
        return found

    def _plain(self, element: Element, column: str) -> dict[str, str]:
        words = self.words(element)
        return {column: words} if words else {}

    def words(self, element: Element) -> str:
        """The text with what its outputs show."""
        parts = [element.text or ""]
        for inner in element:
            parts.append(self.output(inner.get("value", "")) if local(inner) == "output" else self.words(inner))
            parts.append(inner.tail or "")
        return " ".join("".join(parts).split())
