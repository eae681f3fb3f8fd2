from django.apps import AppConfig


class RecallConfig(AppConfig):
    name = "memoryapp.recall"
    label = "recall"

    def ready(self) -> None:
        from memoryapp.graph import changes
        from memoryapp.index import texts
        from memoryapp.recall import feeding, hiding, retyping
        from memoryapp.sources.withdrawing import Resting, rests_on_source

        texts.register(feeding.BELIEF, feeding.belief_ids, feeding.belief_texts)
        texts.register(feeding.NODE, feeding.node_ids, feeding.node_texts)
        texts.hide(feeding.BELIEF, hiding.beliefs)
        texts.hide(feeding.NODE, hiding.nodes)
        changes.register(feeding.changed)
        retyping.register()
        rests_on_source("recall", Resting(feeding.unmoved, feeding.unmoved, feeding.traces))
