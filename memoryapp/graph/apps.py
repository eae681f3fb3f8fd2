from django.apps import AppConfig


class GraphConfig(AppConfig):
    name = "memoryapp.graph"
    label = "graph"

    def ready(self) -> None:
        from memoryapp.graph.triggers import rules
        from memoryapp.ledger import triggers

        triggers.register(rules)
