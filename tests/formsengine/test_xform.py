"""Forms in XML become definitions as the sheets would that they were made of, with a report of the rest."""

from __future__ import annotations

import pytest

from formsengine.definition.model import Question
from formsengine.definition.plan import plan
from formsengine.problems import Refused
from formsengine.xlsform.importing import Imported, import_xlsform

HEAD = """<?xml version="1.0"?>
<h:html xmlns="http://www.w3.org/2002/xforms" xmlns:h="http://www.w3.org/1999/xhtml"
  xmlns:jr="http://openrosa.org/javarosa" xmlns:ev="http://www.w3.org/2001/xml-events">
"""
PIER = (
    HEAD
    + """<h:head><h:title>A pier</h:title><model>
  <itext>
    <translation lang="en" default="true()">
      <text id="kind"><value>What kind?</value></text>
      <text id="wood"><value>Wood</value></text><text id="stone"><value>Stone</value></text>
    </translation>
    <translation lang="pt">
      <text id="kind"><value>Que tipo?</value></text>
      <text id="wood"><value>Madeira</value></text><text id="stone"><value>Pedra</value></text>
    </translation>
  </itext>
  <instance><pier id="pier" version="7">
    <opened/><region>north</region><place/><kind/>
    <boards jr:template=""><length/><twice/></boards>
    <boards><length/><twice/></boards>
    <owner><name/></owner><keeper><name/></keeper><ok/><picture/>
    <meta><instanceID/></meta>
  </pier></instance>
  <instance id="places"><root>
    <item><name>quay</name><label>The quay</label><region>north</region></item>
    <item><name>cove</name><label>The cove</label><region>south</region></item>
  </root></instance>
  <bind nodeset="/pier/opened" jr:preload="timestamp" jr:preloadParams="start"/>
  <bind nodeset="/pier/region" type="string" required="true()" jr:requiredMsg="Where is it?"/>
  <bind nodeset="/pier/place" relevant="/pier/region != ''"/>
  <bind nodeset="/pier/boards/length" type="int" constraint=". &gt; 0" jr:constraintMsg="More than nothing"/>
  <bind nodeset="/pier/boards/twice" type="int" calculate="../length * 2"/>
  <bind nodeset="/pier/keeper/name" relevant="../../owner/name = 'none'"/>
</model></h:head><h:body>
  <input ref="/pier/region"><label>Region</label><hint>As it is called</hint></input>
  <select1 ref="/pier/place"><label>Place by <output value="/pier/region"/></label>
    <itemset nodeset="instance('places')/root/item[region = /pier/region]">
      <value ref="name"/><label ref="label"/></itemset></select1>
  <select ref="/pier/kind"><label ref="jr:itext('kind')"/>
    <item><label ref="jr:itext('wood')"/><value>wood</value></item>
    <item><label ref="jr:itext('stone')"/><value>stone</value></item></select>
  <group ref="/pier/boards"><label>Boards</label><repeat nodeset="/pier/boards">
    <input ref="/pier/boards/length"><label>Length</label></input>
  </repeat></group>
  <group ref="/pier/owner"><label>Owner</label><input ref="/pier/owner/name"><label>Name</label></input></group>
  <group ref="/pier/keeper"><label>Keeper</label><input ref="/pier/keeper/name"><label>Name</label></input></group>
  <trigger ref="/pier/ok"><label>Seen</label></trigger>
  <upload ref="/pier/picture" mediatype="image/*"><label>Picture</label></upload>
  <setvalue ref="/pier/region" event="xforms-value-changed" value="'south'"/>
</h:body></h:html>"""
)


@pytest.fixture(scope="module")
def pier() -> Imported:
    return import_xlsform(PIER.encode())


def field(pier: Imported, name: str) -> Question:
    return plan(pier.form).by_name[name].question


def test_questions_types_and_rules_are_taken_by_their_names(pier: Imported) -> None:
    form = pier.form
    assert (form.id, form.version, form.title) == ("pier", 7, {"en": "A pier"})
    types = {each.name: each.question.type for each in plan(form).fields}
    assert types == {
        "region": "text",
        "place": "choice",
        "kind": "choices",
        "length": "integer",
        "name": "text",
        "keeper_name": "text",
        "ok": "boolean",
        "picture": "photo",
        "opened": "meta",
        "twice": "integer",
    }
    region = field(pier, "region")
    assert (region.required, region.required_message, region.default) == (True, {"en": "Where is it?"}, "'north'")
    assert (region.hint, field(pier, "place").relevant) == ({"en": "As it is called"}, "${region} != ''")
    assert field(pier, "keeper_name").relevant == "${name} = 'none'"
    length = field(pier, "length")
    assert [(one.test, one.message) for one in length.constraints] == [(". > 0", {"en": "More than nothing"})]
    assert (field(pier, "twice").computed, plan(form).by_name["length"].rows_of) == ("${length} * 2", ("boards",))


def test_choices_come_from_the_question_or_a_list_beside_it_in_every_language(pier: Imported) -> None:
    lists = {each.name: each for each in pier.form.lists}
    place = field(pier, "place")
    assert (place.filter, place.label) == ("region = ${region}", {"en": "Place by ${region}"})
    assert [(one.code, one.attributes) for one in lists["places"].choices] == [
        ("quay", {"region": "north"}),
        ("cove", {"region": "south"}),
    ]
    assert field(pier, "kind").label == {"en": "What kind?", "pt": "Que tipo?"}
    assert [one.label for one in lists["kind"].choices] == [
        {"en": "Wood", "pt": "Madeira"},
        {"en": "Stone", "pt": "Pedra"},
    ]


def test_what_has_no_meaning_here_is_reported_and_kept_where_it_decides_about_answers(pier: Imported) -> None:
    told = {(one.where, one.blocks) for one in pier.report.not_understood}
    assert told == {("/pier/region", True), ("/pier/boards", False)}
    assert [one.text for one in pier.form.unread] == ["'south'"]


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (HEAD + "<h:head/></h:html>", "no-survey"),
        (HEAD + "<h:head>", "unreadable"),
        ('<!DOCTYPE h [<!ENTITY a SYSTEM "file:///etc/hostname">]><h>&a;</h>', "unreadable"),
    ],
)
def test_what_is_no_form_is_refused_and_nothing_beside_it_is_read(content: str, code: str) -> None:
    with pytest.raises(Refused) as refused:
        import_xlsform(content.encode())
    assert [one.code for one in refused.value.problems] == [code]
