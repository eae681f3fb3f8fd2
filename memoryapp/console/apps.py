from django.apps import AppConfig


class ConsoleConfig(AppConfig):
    name = "memoryapp.console"
    label = "console"
