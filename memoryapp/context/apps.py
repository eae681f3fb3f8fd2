from django.apps import AppConfig


class ContextConfig(AppConfig):
    name = "memoryapp.context"
    label = "context"

    def ready(self) -> None:
        from memoryapp.context import checks, erasing
        from memoryapp.context.queries import why
        from memoryapp.context.queries.entries import naming
        from memoryapp.context.services import withdrawing
        from memoryapp.context.services.serving import ENTRY
        from memoryapp.context.triggers import rules
        from memoryapp.graph import referring
        from memoryapp.graph.queries import anything
        from memoryapp.ledger import triggers
        from memoryapp.sources.withdrawing import Resting, rests_on_source

        triggers.register(rules)
        rests_on_source("context", Resting(withdrawing.withdrawn, withdrawing.lifted, withdrawing.traces))
        anything.register(ENTRY, why.why)
        referring.register_reader("entries", referring.Reader("entries of the context", naming))
        erasing.register()
        checks.register()
