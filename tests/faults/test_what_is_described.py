"""The running product does what its own description says, whatever is sent, in whatever order."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from memoryapp.access.capabilities import SURFACES
from tests.house.running import Running

pytestmark = pytest.mark.slow

SECONDS = 25
"""How long each phase is asked. The same requests in the same order on every run, as far as the time reaches."""
NOT_ASKED = "positive_data_acceptance"
"""What is right by its form may name a kind that is not declared, and is then refused in words."""


@pytest.mark.parametrize(
    "phases",
    [
        pytest.param("examples,stateful", id="its examples, and what they answered taken to the next request"),
        pytest.param("coverage,fuzzing", id="every edge of every parameter, and generated data right and wrong"),
    ],
)
def test_whatever_is_sent_the_answer_is_one_that_the_live_description_announces(product: Running, phases: str) -> None:
    surfaces = [option for surface in SURFACES for option in ("--surface", surface)]
    printed = product.command("create_agent", "harbour", f"Asks {phases}", *surfaces)
    key = re.search(r"cpl_\S+", printed)
    assert key, printed
    done = subprocess.run(
        [
            *(sys.executable, "-m", "schemathesis.cli", "run", f"{product.url}/api/v1/openapi.json"),
            *("--header", f"Authorization: Bearer {key.group()}"),
            *("--checks", "all", "--exclude-checks", NOT_ASKED),
            *("--phases", phases, "--max-time", str(SECONDS), "--max-examples", "10"),
            *("--generation-deterministic", "--continue-on-failure", "--no-color"),
        ],
        cwd=product.directory,
        env=product.environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=SECONDS * 20,
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert re.search(r"\d+ generated", done.stdout), done.stdout
    product.command("integrity")
