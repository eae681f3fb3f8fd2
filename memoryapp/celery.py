"""The Celery application: workers that run jobs, and a scheduler that sends the sweep.

The broker carries nothing but wake-ups. A filesystem broker under `var/broker` needs no server; `CELERY_BROKER_URL`
replaces it.
"""

import os
import warnings
from typing import Any

from celery import Celery
from celery.platforms import SecurityWarning
from celery.signals import setup_logging, worker_init, worker_ready
from django.conf import settings

from memoryapp import broker

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryapp.settings")

# Celery warns whoever runs it as root of pickled messages; ours are JSON, and carry an id.
warnings.filterwarnings("ignore", category=SecurityWarning)

broker.use()
app = Celery("commonplace")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
app.set_default()


@setup_logging.connect  # type: ignore[untyped-decorator]
def keep_our_logging(**_: Any) -> None:
    """Celery would replace the log format; the settings of Django stand for every process."""


@worker_init.connect  # type: ignore[untyped-decorator]
def sweep_out_old_messages(**_: Any) -> None:
    """Old wake-ups of the filesystem broker are worth nothing (the rows are the truth) and slow to read one by one."""
    for message in settings.BROKER_DIR.glob("messages/*.msg"):
        message.unlink(missing_ok=True)


@worker_ready.connect  # type: ignore[untyped-decorator]
def settle_down(**_: Any) -> None:
    """Nothing more is loaded: the collector leaves it alone."""
    from memoryapp.doors.settled import settle

    settle()
