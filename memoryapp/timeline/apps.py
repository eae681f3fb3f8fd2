from django.apps import AppConfig


class TimelineConfig(AppConfig):
    name = "memoryapp.timeline"
    label = "timeline"

    def ready(self) -> None:
        from memoryapp.graph import changes, referring
        from memoryapp.graph.pages import sections
        from memoryapp.graph.queries import anything
        from memoryapp.index import texts
        from memoryapp.ledger import dump, triggers
        from memoryapp.ontology import counting, parking
        from memoryapp.ontology import usage as ontology_usage
        from memoryapp.sources import arrivals
        from memoryapp.sources.withdrawing import Resting, rests_on_source
        from memoryapp.timeline import checks, erasing, examples, feeding, retyping, usage
        from memoryapp.timeline.models import Episode, EpisodeValue
        from memoryapp.timeline.pages import episodes
        from memoryapp.timeline.queries import why
        from memoryapp.timeline.services import conversations, following, valuing, withdrawing
        from memoryapp.timeline.triggers import rules

        triggers.register(rules)
        ontology_usage.register(usage.count)
        counting.register(usage.by_type)
        examples.register()
        parking.register_narrow(usage.narrow)
        arrivals.register(conversations.arrived)
        changes.register(feeding.changed)
        texts.register(feeding.EPISODE, feeding.ids, feeding.load)
        rests_on_source("timeline", Resting(withdrawing.withdrawn, withdrawing.lifted, feeding.traces))
        sections.register("timeline", episodes.node_section)
        anything.register(feeding.EPISODE, why.why, lambda by: Episode.objects.visible_to(by))
        episodes_read = referring.Reader("episodes", following.count, following.take, following.give_back)
        referring.register_reader("episodes", episodes_read)
        dump.register_projection(EpisodeValue, rebuild=valuing.rebuild)
        erasing.register()
        retyping.register()
        checks.register()
