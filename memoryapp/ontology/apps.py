from django.apps import AppConfig


class OntologyConfig(AppConfig):
    name = "memoryapp.ontology"
    label = "ontology"

    def ready(self) -> None:
        from memoryapp.ledger import dump, triggers
        from memoryapp.ontology import cases, checks, erasing, jobs, refusals, sourcing
        from memoryapp.ontology.models import PreparedRows
        from memoryapp.ontology.triggers import rules

        triggers.register(rules)
        refusals.register()
        cases.register()
        jobs.register()
        checks.register()
        erasing.register()
        sourcing.register()
        dump.register_projection(PreparedRows, rebuild=lambda workspace: None)
