"""Choices of an XForm: listed with their question, or in an instance beside the one that is filled."""

from __future__ import annotations

import re
from collections.abc import Callable
from xml.etree.ElementTree import Element

from formsengine.xform.rows import Rows
from formsengine.xform.texts import Left, Texts, local
from formsengine.xlsform.places import name_of

SET = re.compile(r"instance\(\s*'([^']+)'\s*\)/root/item(?:\s*\[(.*)\])?", re.DOTALL)
CALLED = "jr:itext("


class Choosing:
    """Rows of the sheet of choices, each list once."""

    def __init__(self, model: Element, texts: Texts, left: list[Left]) -> None:
        self.texts, self.left = texts, left
        self.rows = Rows()
        self.told: set[str] = set()
        self.instances = {each.get("id", ""): each for each in model.iter() if local(each) == "instance"}

    def of(self, control: Element, name: str, path: str, rule: Callable[[str], str]) -> tuple[str, str]:
        """The name of the question's list, and the rule that filters it, if there is one."""
        itemset = next((each for each in control if local(each) == "itemset"), None)
        if itemset is None:
            self._listed(control, name, path)
            return name, ""
        found = SET.fullmatch(itemset.get("nodeset", "").strip())
        if found is None or found[1] not in self.instances:
            why = "choices come from a list of the form, and from no rows of it"
            self.left.append(Left(path, itemset.get("nodeset", ""), why))
            return name, ""
        called = name_of(found[1])
        refs = {local(each): each.get("ref", "") for each in itemset}
        self._beside(found[1], called, refs, path)
        return called, rule(found[2]) if found[2] else ""

    def _listed(self, control: Element, called: str, path: str) -> None:
        for item in (each for each in control if local(each) == "item"):
            value = next((self.texts.words(each) for each in item if local(each) == "value"), "")
            self.rows.add({"list_name": called, "name": value} | self.texts.of(item), path)

    def _beside(self, id: str, called: str, refs: dict[str, str], path: str) -> None:
        if called in self.told:
            return
        self.told.add(called)
        instance = self.instances[id]
        items = [each for each in instance.iter() if local(each) == "item"]
        if source := instance.get("src", ""):
            self.left.append(Left(path, source, "choices of a file beside the form are not read"))
        labelled = _within_its_call(refs.get("label", "label"))
        for item in items:
            cells = {local(each): self.texts.words(each) for each in item}
            value, label = cells.pop(refs.get("value", "name"), ""), cells.pop(labelled, "")
            words = self.texts.named(label, "label") if label in self.texts.known else {"label": label}
            self.rows.add({"list_name": called, "name": value} | words | cells, f"instance('{id}')")


def _within_its_call(text: str) -> str:
    """What names a text, without the call that looks it up."""
    text = text.strip()
    return text[len(CALLED) : -1].strip() if text.startswith(CALLED) and text.endswith(")") else text
