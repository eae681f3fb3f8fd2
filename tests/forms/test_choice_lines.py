"""A long list of choices as lines: whatever its words, it is read back as it was, and a wrong line is named."""

from __future__ import annotations

from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from formsengine.models import Form, FormDraft
from formsengine.pages import choice_lines
from memoryapp.ledger.principal import Principal
from tests.forms.telling import Forms, patient
from tests.forms.test_writing import Editor
from tests.visiting import client_of

LETTERS = st.lists(st.sampled_from([*"ab |=\"'é"]), max_size=5).map(lambda found: "".join(found).strip())
WORDS = LETTERS | st.sampled_from(["retired", "pH = 7", "north | south"])
CHOICES = st.fixed_dictionaries(
    {"code": WORDS.filter(bool), "label": st.dictionaries(st.sampled_from(["en", "pt"]), WORDS.filter(bool))},
    optional={"attributes": st.dictionaries(st.sampled_from(["region", "of"]), WORDS.filter(bool), min_size=1),
              "retired": st.just(True), "exclusive": st.just(True)},
)  # fmt: skip


@settings(max_examples=15)
@given(st.lists(CHOICES, max_size=2))
@example([{"code": "a=b", "label": {"pt": "retired"}, "attributes": {"of": 'n | "s"'}, "retired": True}])
def test_a_list_is_read_back_as_it_was_written(choices: list[dict[str, Any]]) -> None:
    lines = list(choice_lines.read(choice_lines.written(choices, ["en", "pt"])))
    read = [
        (one.code, {key: text for key, text in zip(["en", "pt"], one.labels, strict=False) if text}, one.attributes)
        for one in lines
    ]
    assert read == [(one["code"], one["label"], one.get("attributes", {})) for one in choices]
    assert [set(one.flags) for one in lines] == [{"exclusive", "retired"} & one.keys() for one in choices]


def test_one_line_of_hundreds_is_edited_and_the_rest_stays(operator: Principal, administrator: Principal) -> None:
    many = [{"code": f"c{n}", "label": {"en": f"pH = {n}"}, "attributes": {"of": "a"}} for n in range(300)]
    form = patient()
    data = form.model_dump(mode="json", exclude_defaults=True) | {"lists": [{"name": "many", "choices": many}]}
    Forms(operator).published(data)
    editor = Editor(client_of(administrator), Form.objects.get())
    lines = choice_lines.written(many, ["en"])
    assert "c299 | &quot;pH = 299&quot; | of=a" in editor.page("list:many")
    editor.save("list:many", **{"choices:lines": lines.replace('c7 | "pH = 7" | of=a', "c7 | Seven | of=b | retired")})
    stored = FormDraft.objects.get().definition["lists"][0]["choices"]
    assert stored[7] == {"code": "c7", "label": {"en": "Seven"}, "attributes": {"of": "b"}, "retired": True}
    assert [stored[n] for n in (0, 6, 8, 299)] == [many[n] for n in (0, 6, 8, 299)]
    wrong = editor.save("list:many", **{"choices:lines": " | A label\nc1 | One | =b"})
    assert wrong.status_code == 422
    assert "Line 1 has no code." in wrong.content.decode()
    assert "in line 2 is no attribute." in wrong.content.decode()
