from django.apps import AppConfig


class RecallConfig(AppConfig):
    name = "memoryapp.recall"
    label = "recall"
