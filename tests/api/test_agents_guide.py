"""The guide for agents runs as written against the running product."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.house.running import ROOT, Running

pytestmark = pytest.mark.slow

GUIDE = ROOT / "docs" / "agents.md"


def blocks(document: Path) -> list[str]:
    """What a reader would paste into a shell, in order."""
    return re.findall(r"^```bash\n(.*?)^```$", document.read_text(), re.MULTILINE | re.DOTALL)


def test_every_command_of_the_guide_runs_as_written(running: Running, tmp_path: Path) -> None:
    address, *commands = blocks(GUIDE)
    assert "KEY=" in address
    assert len(commands) == GUIDE.read_text().count("```bash") - 1
    running.start("--no-demonstration")
    script = tmp_path / "guide.sh"
    shown = 'printf "\\n--- %s\\n" '
    script.write_text("set -euo pipefail\n" + "\n".join(f"{shown}{n}\n{block}" for n, block in enumerate(commands)))
    done = subprocess.run(
        ["bash", str(script)],
        env=os.environ | {"COMMONPLACE": f"{running.url}/api/v1", "KEY": running.key},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
    told = done.stdout.split("\n--- ")
    assert '"capabilities"' in told[1]
    assert "Wants the berth report by email every week." in told[3]
    assert "said by Mara Oliveira, 2026-03-02, in Berth reports" in told[5]
    assert "What is currently held of Mara Oliveira" in told[6]
    assert "The pier is painted in June." in told[9]
    assert "painted in June" in told[10]
    assert '"valid_from":"2026-06"' in told[11]
    assert "Did you mean “evidence”?" in told[12]
