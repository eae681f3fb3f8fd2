from django.apps import AppConfig


class GraphConfig(AppConfig):
    name = "memoryapp.graph"
    label = "graph"
