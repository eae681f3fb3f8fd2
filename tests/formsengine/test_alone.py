"""The engine stands alone: where there is no web framework and no memory, it publishes, fills and submits."""

from __future__ import annotations

import subprocess
import sys

from tests.house.running import ROOT

ALONE = """
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("django", "rest_framework", "memoryapp"):
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Absent())
import importlib, pkgutil
from datetime import UTC, datetime
for core in ("definition", "expressions", "values", "evaluation", "log", "view", "xlsform", "xform", "editing"):
    package = importlib.import_module(f"formsengine.{core}")
    for each in pkgutil.walk_packages(package.__path__, f"formsengine.{core}."):
        importlib.import_module(each.name)
from formsengine.definition.builder import FormBuilder
from formsengine.definition.publish import publish
from formsengine.log import lifecycle
from formsengine.log.commits import Clock, Writer
from formsengine.log.response import Response, prepared
from formsengine.log.writing import Patch, values, write
from formsengine.view.shown import view
from formsengine.xlsform.importing import import_xlsform

form = FormBuilder("visit")
with form.step("who"):
    form.asked("name", "Name", required=True)
plan = publish(form.compile())
clock = Clock(datetime(2026, 5, 15, 9, tzinfo=UTC))
agent = Writer("agent", "call")
done = write(Response("r", prepared(plan)), agent, Patch(values(name="Ana")), clock)
sent = lifecycle.submit(done.response, agent, clock, base=1)
import_xlsform(b"| survey |\\n| | type | name | label |\\n| | text | name | Name |\\n")
print(sent.response.snapshots[1]["values"]["name"], view(sent.response)["state"])
"""


def test_the_engine_runs_where_there_is_no_web_framework() -> None:
    ran = subprocess.run([sys.executable, "-c", ALONE], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (ran.stdout.strip(), ran.stderr) == ("Ana submitted", "")
