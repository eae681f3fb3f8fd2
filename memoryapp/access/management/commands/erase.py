"""`erase SORT ID`: destroy what somebody said, or was said of somebody, and print a receipt."""

import json
import uuid
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from memoryapp.access.services import operator
from memoryapp.doors.errors import DomainError
from memoryapp.ledger import erasing
from memoryapp.ledger.models import Workspace
from memoryapp.ledger.services import record


class Command(BaseCommand):
    help = "Show what would be erased; with --name, erase it for good and print the receipt."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("workspace", help="slug of the workspace")
        sorts = ["node", "source", "thread", "file"]
        parser.add_argument("sort", choices=sorts, help="a person (node), a source, a thread, or a file")
        parser.add_argument("id", type=uuid.UUID, help="its id")
        parser.add_argument("--name", help="its name, as it is shown: erases it")
        parser.add_argument(
            "--word", action="append", default=[], help="A further word to blot, as a first name; repeatable."
        )
        parser.add_argument("--reason", default="", help="why, without anything of what is erased")
        parser.add_argument("--receipt", help="file to write the receipt to, which must not exist yet")

    def handle(self, *args: Any, **options: Any) -> None:
        workspace = Workspace.objects.filter(slug=options["workspace"]).first()
        if workspace is None:
            raise CommandError(f"There is no workspace “{options['workspace']}”.")
        by = operator(workspace)
        try:
            shown = erasing.preview(by, options["sort"], options["id"], words=options["word"])
            if options["name"] is None:
                self._show(shown)
                return
            erasure = record(
                by,
                "erase",
                lambda write: erasing.erase(
                    write, options["sort"], options["id"], name=options["name"], words=options["word"]
                ),
                rationale=options["reason"],
            )
        except DomainError as error:
            raise CommandError(f"Nothing was erased. {error}") from error
        text = json.dumps(erasure.receipt, indent=1, sort_keys=True)
        if options["receipt"]:
            with Path(options["receipt"]).open("x", encoding="utf-8") as file:
                file.write(text)
        rows = sum(erasure.receipt["emptied"].values())
        self.stdout.write(f"Erased {rows} rows. Receipt {erasure.pk}; prove it: manage.py prove_erased {erasure.pk}")

    def _show(self, shown: dict[str, Any]) -> None:
        self.stdout.write(f"“{shown['name']}”: {shown['total']} rows would lose their content for good.")
        for table, count in shown["rows"].items():
            self.stdout.write(f"  {count} {table}")
        for text in shown["examples"]:
            self.stdout.write(f"  “{text}”")
        for what in shown["stays"]:
            self.stdout.write(f"Names it and stays, to be erased by itself: {what}")
        for word in shown["words"]:
            self.stdout.write(f"“{word['word']}” would be blotted {word['count']} times:")
            for text in word["examples"]:
                self.stdout.write(f"  {text}")
        self.stdout.write("Erase it with --name, typed as shown, and --reason.")
