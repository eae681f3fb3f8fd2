#!/usr/bin/env python
"""Commands of Commonplace: `python manage.py help` lists them."""

import os
import sys
from pathlib import Path


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryapp.settings")
    if sys.argv[1:2] == ["up"]:
        from memoryapp import machine

        machine.prepare(Path(__file__).resolve().parent)
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
