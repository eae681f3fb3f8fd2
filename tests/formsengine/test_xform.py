"""Forms in XML become definitions as the sheets would that they were made of, with a report of the rest."""

from __future__ import annotations

import pytest

from formsengine.definition.model import Question
from formsengine.definition.plan import plan
from formsengine.definition.stored import as_data
from formsengine.editing.parts import at
from formsengine.problems import Refused
from formsengine.xform import instance
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


def form(nodes: str, body: str = "", model: str = "") -> str:
    head = f"<h:head><model>{model}<instance><pier>{nodes}</pier></instance></model></h:head>"
    return f"{HEAD}{head}<h:body>{body}</h:body></h:html>"


def imported(nodes: str, body: str = "", model: str = "") -> Imported:
    return import_xlsform(form(nodes, body, model).encode())


def asked(ref: str, control: str = "input", inner: str = "") -> str:
    return f'<{control} ref="{ref}"><label>It</label>{inner}</{control}>'


LANGUAGES = "".join(f'<translation lang="qaa-x{one}"><text id="t"><value>T</value></text></translation>'
                    for one in range(500))  # fmt: skip


@pytest.mark.parametrize(
    ("content", "code", "words"),
    [
        (HEAD + "<h:head/></h:html>", "no-survey", "a body"),
        (HEAD + "<h:head>", "unreadable", "at line 4, column 9"),
        ('<!DOCTYPE h [<!ENTITY a SYSTEM "file:///etc/hostname">]><h>&a;</h>', "unreadable", "leave its DOCTYPE out"),
        ('<?xml version="1.0" encoding="unheard"?><h/>', "unreadable", "UTF-8"),
        (form("<a>" * 3000 + "</a>" * 3000), "too-deep", "64 deep"),
        (form("<a/>", "<group>" * 1500 + "</group>" * 1500), "too-deep", "64 deep"),
        (form("<a/>", "<group>" * 11 + asked("/pier/a") + "</group>" * 11), "too-deep", "at most 10"),
        (form(f"<{'a' * 2000}/>"), "too-large", "2000 characters"),
    ],
)
def test_what_is_no_form_is_refused_and_nothing_beside_it_is_read(content: str, code: str, words: str) -> None:
    with pytest.raises(Refused, match=words) as refused:
        import_xlsform(content.encode())
    assert [one.code for one in refused.value.problems] == [code]


def test_a_form_with_more_elements_than_a_sheet_has_rows_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(instance, "MOST_ROWS", 2)
    assert imported("<a/><b/>", asked("/pier/a"))
    with pytest.raises(Refused, match="more than 2 elements"):
        imported("<a/><b/><c/>", asked("/pier/a"))


def test_a_text_in_more_languages_than_a_sheet_has_columns_is_refused() -> None:
    """A text is named by many questions and told in each of its languages: so a small file could say very much."""
    question = '<input ref="/pier/a"><label ref="jr:itext(\'t\')"/></input>'
    with pytest.raises(Refused, match="more than 400 columns") as refused:
        imported("<a/>", question, f"<itext>{LANGUAGES}</itext>")
    assert refused.value.problems[0].path == "/pier/a"


def test_a_path_that_leads_out_of_the_form_is_reported_and_the_rest_is_read() -> None:
    inner = asked("../../../a") + f'<group ref="../../b"><label>Them</label>{asked("name")}</group>'
    made = imported("<name/>", inner, '<bind nodeset="../../c" relevant="../../../d = 1"/>')
    assert [each.name for each in plan(made.form).fields] == ["name"]
    told = {(one.where, one.text) for one in made.report.not_understood if "out of the form" in one.why}
    assert told == {("/pier", "../../../a"), ("/pier", "../../b"), ("/pier", "../../c")}
    assert {one.text for one in made.form.unread} >= {"../../../a", "../../b", "../../c"}


def test_names_are_told_apart_by_their_groups_and_then_by_a_number() -> None:
    made = imported("<c/><a_b><c/></a_b><a><b_c/><c/></a><b><c/></b><b_c/><b_c_/>", "".join(
        asked(f"/pier/{path}") for path in ("c", "a_b/c", "a/b_c", "a/c", "b/c", "b_c", "b_c_")))  # fmt: skip
    assert [each.name for each in plan(made.form).fields] == ["c", "a_b_c", "b_c", "a_c", "b_c_2", "b_c_3", "b_c_4"]


def test_what_a_report_names_stands_in_the_form_and_not_in_a_sheet() -> None:
    rule = "relevant=\"pulldata('x', 'y', 'z', 1) = 2\""
    made = imported("<a/>", asked("/pier/a"), f'<bind nodeset="/pier/a" {rule}/>')
    (left,) = made.report.not_understood
    assert (left.where, at(as_data(made.form), left.where)[0]) == ("/pier/a/relevant", "unread")
    with pytest.raises(Refused, match="no list") as refused:
        imported("<b/>", asked("/pier/b", "select1"))
    assert refused.value.problems[0].path == "/pier/b"


def test_a_secret_is_a_sensitive_answer() -> None:
    made = imported("<pin/>", asked("/pier/pin", "secret"))
    assert (field(made, "pin").type, field(made, "pin").sensitive) == ("text", True)
    assert [(one.where, one.was, one.became) for one in made.report.changed] == [("/pier/pin", "secret", "sensitive")]


def test_a_form_that_is_mostly_unasked_or_mostly_spaces_is_read_in_one_go() -> None:
    """None of these takes longer by more than the form grows: each is read in far less than a second."""
    blank = " " * 60_000
    unasked = "".join(f"<g{one}><x/><y/></g{one}>" for one in range(300))
    groups = "".join(f'<group ref="/pier/g{one}"><label>G</label></group>' for one in range(300))
    made = imported(unasked, groups, "".join(f'<bind nodeset="/pier/g{one}/x"/>' for one in range(300)))
    assert len([one for one in made.report.not_understood if one.text == "x"]) == 300
    itemset = f'<itemset nodeset="instance(\'p\')/root/item{blank}x"><label ref="jr:itext({blank}"/></itemset>'
    beside = '<instance id="p"><root><item><name>a</name><label>A</label></item></root></instance></model>'
    content = form("<a/>", asked("/pier/a", "select1", itemset)).replace("</model>", beside)
    with pytest.raises(Refused, match="no list"):
        import_xlsform(content.encode())
    assert field(import_xlsform(content.replace(f"{blank}x", "").encode()), "a").type == "choice"
    made = imported(f"<a>{'a' * 60_000}</a>", asked("/pier/a"))
    assert [one.why for one in made.report.not_understood] == ["A rule has at most 4000 characters."]
