from django.apps import AppConfig


class IndexConfig(AppConfig):
    name = "memoryapp.index"
    label = "index"

    def ready(self) -> None:
        from memoryapp.index import said, texts, upkeep, vectors
        from memoryapp.ledger import jobs, triggers
        from memoryapp.sources import arrivals

        texts.register(said.SOURCE, said.ids, said.load)
        arrivals.register(said.arrived)
        jobs.register(upkeep.KIND, upkeep.run, title="Bring the text index up to date")
        triggers.register(vectors.rules)
