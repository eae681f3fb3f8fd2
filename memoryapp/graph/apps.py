from django.apps import AppConfig


class GraphConfig(AppConfig):
    name = "memoryapp.graph"
    label = "graph"

    def ready(self) -> None:
        from memoryapp.access import sections
        from memoryapp.graph import (
            cases,
            changes,
            checks,
            doubts,
            erasing,
            examples,
            fitting,
            looking,
            mentions,
            participants,
            policy,
            retyping,
            usage,
        )
        from memoryapp.graph.cases import concerned
        from memoryapp.graph.pages import binding, presenting
        from memoryapp.graph.services import projection, withdrawing
        from memoryapp.graph.services.merging.pointers import register_pointers
        from memoryapp.graph.triggers import rules
        from memoryapp.ledger import jobs, triggers
        from memoryapp.ontology import counting, parking
        from memoryapp.ontology import usage as ontology_usage
        from memoryapp.sources import arrivals, identities, learned
        from memoryapp.sources.withdrawing import Resting, rests_on_source

        triggers.register(rules)
        changes.register(projection.follow)
        changes.register(doubts.notice)
        changes.register(concerned.tell)
        jobs.register(
            doubts.KIND,
            doubts.assess,
            title="Doubt by the model",
            capabilities=doubts.CAPABILITIES,
            hidden=doubts.hidden,
        )
        jobs.register(looking.KIND, looking.look, title="Look for doubles", capabilities=looking.CAPABILITIES)
        arrivals.register(participants.bind_participants)
        arrivals.register(participants.bind_members)
        identities.register(participants.identity_violations)
        sections.register("graph", binding.section)
        learned.register("graph", presenting.learned_from)
        ontology_usage.register(usage.count)
        counting.register(usage.by_type)
        examples.register()
        parking.register_narrow(usage.narrow)
        cases.register()
        register_pointers()
        policy.register()
        erasing.register()
        retyping.register()
        fitting.register()
        mentions.register()
        rests_on_source("graph", Resting(withdrawing.withdrawn, withdrawing.lifted))
        checks.register()
