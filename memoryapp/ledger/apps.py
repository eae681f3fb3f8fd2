from typing import Any

from django.apps import AppConfig
from django.db.models.signals import post_migrate


class LedgerConfig(AppConfig):
    name = "memoryapp.ledger"
    label = "ledger"

    def ready(self) -> None:
        from memoryapp.doors.metrics import REGISTRY
        from memoryapp.ledger.metrics import Health

        REGISTRY.register(Health())
        post_migrate.connect(_install_triggers, sender=self)


def _install_triggers(**_: Any) -> None:
    """Migrations may rebuild a table and lose its triggers, so they are laid anew after every migrate."""
    from memoryapp.ledger import triggers

    triggers.install()
