from django.apps import AppConfig


class IndexConfig(AppConfig):
    name = "memoryapp.index"
    label = "index"

    def ready(self) -> None:
        from memoryapp.doors.metrics import REGISTRY
        from memoryapp.index import checks, erasing, said, services, texts, upkeep, vectors
        from memoryapp.index.embedding import making
        from memoryapp.index.language import asking
        from memoryapp.index.language.metrics import ModelCalls
        from memoryapp.index.models import Embedding, IndexEntry, Statistics, Term, VectorModel
        from memoryapp.ledger import dump, jobs, triggers
        from memoryapp.sources import arrivals
        from memoryapp.sources.withdrawing import Resting, rests_on_source

        texts.register(said.SOURCE, said.ids, said.load)
        texts.hide(said.SOURCE, said.hidden)
        arrivals.register(said.arrived)
        rests_on_source("index", Resting(said.taken_back, said.given_back, said.traces))
        dump.register_projection(
            IndexEntry, Term, Statistics, Embedding, VectorModel, rebuild=services.rebuild_restored
        )
        jobs.register(upkeep.KIND, upkeep.run, title="Bring the text index up to date")
        jobs.register(vectors.KIND, making.make, title="Make vectors")
        jobs.register_spending(asking.figures)
        REGISTRY.register(ModelCalls())
        triggers.register(vectors.rules)
        checks.register()
        erasing.register()
