"""Two hundred conversations told, and their conflicts decided, while web and worker are killed outright at random.

`python -m bench.faults [--conversations 200] [--kills 20] [--seed 1]`, on SQLite in a directory of its own, or on the
server of DATABASE_URL in a database of its own. It ends with 1 when anything acknowledged is missing, anything is there
twice, a verdict is half carried out, or a job has not ended.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from contextlib import nullcontext
from pathlib import Path

from tests.faults import killing
from tests.faults.wires import database_beside
from tests.house.running import Running


def main() -> int:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--conversations", type=int, default=200)
    asked.add_argument("--kills", type=int, default=20)
    asked.add_argument("--seed", type=int, default=1)
    given = asked.parse_args()
    server = os.environ.get("DATABASE_URL", "")
    on_server = server.startswith("postgres")
    with tempfile.TemporaryDirectory() as place, database_beside(server) if on_server else nullcontext("") as database:
        product = Running(Path(place), {"DATABASE_URL": database} if database else {})
        product.start("--no-demonstration")
        try:
            return tried(product, given, "PostgreSQL" if on_server else "SQLite")
        finally:
            product.stop()


def tried(product: Running, given: argparse.Namespace, engine: str) -> int:
    began = time.monotonic()
    killed, turns = killing.tell_under_fire(
        product, seed=given.seed, conversations=given.conversations, kills=given.kills
    )
    killing.wait_for_every_job(product)
    told = killing.memory(product)
    wrong = killing.what_is_wrong_with_what_was_told(told, turns)
    cases = killing.open_conflicts(told)
    also, verdicts = killing.decide_under_fire(product, cases, seed=given.seed, kills=given.kills)
    killing.wait_for_every_job(product)
    wrong += killing.what_is_wrong_with_what_was_decided(killing.memory(product), verdicts)
    product.command("integrity")
    print("| engine | conversations | conflicts decided | web killed | worker killed | seconds | wrong |")
    print("|---|---|---|---|---|---|---|")
    print(
        f"| {engine} | {given.conversations} | {len(verdicts)} of {len(cases)} | {(killed + also)['web']} |"
        f" {(killed + also)['worker']} | {time.monotonic() - began:.0f} | {len(wrong)} |"
    )
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
