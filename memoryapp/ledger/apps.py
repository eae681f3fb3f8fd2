from django.apps import AppConfig


class LedgerConfig(AppConfig):
    name = "memoryapp.ledger"
    label = "ledger"
