from django.apps import AppConfig


class IndexConfig(AppConfig):
    name = "memoryapp.index"
    label = "index"
