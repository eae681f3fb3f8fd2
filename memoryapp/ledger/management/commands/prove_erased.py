"""`prove_erased RECEIPT`: look everywhere for what was erased.

Exits with 1 when anything of it is found, and when a file could not be looked into: what may hold it proves nothing.
"""

import json
import uuid
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from memoryapp.doors.errors import DomainError
from memoryapp.ledger.models import Erasure
from memoryapp.ledger.proving import prove

SHOWN = 50


class Command(BaseCommand):
    help = "Search every table and the product's files for what a receipt says is erased."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("receipt", help="id of the erasure, or the file that `erase` wrote")
        parser.add_argument("--files", nargs="*", default=[], type=Path, help="more files or folders, such as logs")

    def handle(self, *args: Any, **options: Any) -> None:
        receipt = self._receipt(options["receipt"])
        try:
            traces = prove(receipt, options["files"])
        except DomainError as error:
            raise CommandError(str(error)) from error
        closed = [trace for trace in traces if trace.closed]
        found = [trace for trace in traces if not trace.closed]
        for trace in found[:SHOWN]:
            self.stdout.write(f"  {trace.place} {trace.where}")
        for trace in closed:
            self.stdout.write(f"  Not looked into: {trace.place} {trace.where}")
        unseen = f"{len(closed)} {'file was' if len(closed) == 1 else 'files were'} not looked into"
        if found:
            more = f" {unseen}." if closed else ""
            holding = "1 place still holds" if len(found) == 1 else f"{len(found)} places still hold"
            raise CommandError(f"{holding} something of it.{more}")
        if closed:
            raise CommandError(f"Nothing of it was found, but {unseen}: look there yourself, or move them away.")
        prints = sum(map(len, receipt["fingerprints"].values()))
        self.stdout.write(f"Nothing of it is left: {prints} fingerprints, found nowhere. Receipt {receipt['digest']}.")

    def _receipt(self, given: str) -> dict[str, Any]:
        try:
            erasure = Erasure.objects.filter(pk=uuid.UUID(given)).first()
            if erasure is None:
                raise CommandError(f"There is no erasure {given}.")
            receipt: dict[str, Any] = erasure.receipt
            return receipt
        except ValueError:
            pass
        try:
            read: dict[str, Any] = json.loads(Path(given).read_text(encoding="utf-8"))
            return read
        except (OSError, ValueError) as error:
            raise CommandError(f"Cannot read {given}: {error}.") from error
