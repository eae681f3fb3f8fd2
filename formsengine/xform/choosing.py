"""Choices of an XForm: listed with their question, or in an instance beside the one that is filled."""

from __future__ import annotations

import re
from collections.abc import Callable
from xml.etree.ElementTree import Element

from formsengine.xform.texts import NAMED, Left, Texts, local
from formsengine.xlsform.places import name_of

SET = re.compile(r"^\s*instance\(\s*'([^']+)'\s*\)/root/item\s*(?:\[(.*)\])?\s*$", re.DOTALL)


class Choosing:
    """Rows of the sheet of choices, each list once."""

    def __init__(self, model: Element, texts: Texts, left: list[Left]) -> None:
        self.texts, self.left = texts, left
        self.rows: list[dict[str, str]] = []
        self.told: set[str] = set()
        self.instances = {each.get("id", ""): each for each in model.iter() if local(each) == "instance"}

    def of(self, control: Element, name: str, rule: Callable[[str], str]) -> tuple[str, str]:
        """The name of the question's list, and the rule that filters it, if there is one."""
        itemset = next((each for each in control if local(each) == "itemset"), None)
        if itemset is None:
            self._listed(control, name)
            return name, ""
        found = SET.match(itemset.get("nodeset", ""))
        if found is None or found[1] not in self.instances:
            why = "choices come from a list of the form, and from no rows of it"
            self.left.append(Left(name, itemset.get("nodeset", ""), why))
            return name, ""
        called = name_of(found[1])
        refs = {local(each): each.get("ref", "") for each in itemset}
        self._beside(found[1], called, refs)
        return called, rule(found[2]) if found[2] else ""

    def _listed(self, control: Element, called: str) -> None:
        for item in (each for each in control if local(each) == "item"):
            value = next((self.texts.words(each) for each in item if local(each) == "value"), "")
            self.rows.append({"list_name": called, "name": value} | self.texts.of(item))

    def _beside(self, id: str, called: str, refs: dict[str, str]) -> None:
        if called in self.told:
            return
        self.told.add(called)
        instance = self.instances[id]
        items = [each for each in instance.iter() if local(each) == "item"]
        if source := instance.get("src", ""):
            self.left.append(Left(called, source, "choices of a file beside the form are not read"))
        labelled = re.sub(r"^jr:itext\(\s*(.+?)\s*\)$", r"\1", refs.get("label", "label").strip())
        for item in items:
            cells = {local(each): self.texts.words(each) for each in item}
            value, label = cells.pop(refs.get("value", "name"), ""), cells.pop(labelled, "")
            reference = NAMED.match(f"jr:itext('{label}')") if label in self.texts.known else None
            words = self.texts.named(reference[1], "label") if reference else {"label": label}
            self.rows.append({"list_name": called, "name": value} | words | cells)
