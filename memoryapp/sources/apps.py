from django.apps import AppConfig


class SourcesConfig(AppConfig):
    name = "memoryapp.sources"
    label = "sources"
