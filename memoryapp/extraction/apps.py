from django.apps import AppConfig


class ExtractionConfig(AppConfig):
    name = "memoryapp.extraction"
    label = "extraction"
