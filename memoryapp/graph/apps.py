from django.apps import AppConfig


class GraphConfig(AppConfig):
    name = "memoryapp.graph"
    label = "graph"

    def ready(self) -> None:
        from memoryapp.graph import cases, changes, checks, identity_cases, participants, usage
        from memoryapp.graph.pages import presenting
        from memoryapp.graph.services import projection
        from memoryapp.graph.triggers import rules
        from memoryapp.ledger import triggers
        from memoryapp.ontology import usage as ontology_usage
        from memoryapp.sources import arrivals, identities, learned

        triggers.register(rules)
        changes.register(projection.follow)
        arrivals.register(participants.bind_participants)
        identities.register(participants.identity_violations)
        learned.register("graph", presenting.learned_from)
        ontology_usage.register(usage.count)
        identity_cases.register()
        cases.register()
        checks.register()
