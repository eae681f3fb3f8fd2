from django.apps import AppConfig


class ExtractionConfig(AppConfig):
    name = "memoryapp.extraction"
    label = "extraction"

    def ready(self) -> None:
        from memoryapp.extraction import cases, erasing, jobs, mentions, pages, parked, retyping, unvouched, withdrawing
        from memoryapp.extraction.model import reading
        from memoryapp.extraction.queries import KIND, hidden_subjects
        from memoryapp.graph import origins, waiting
        from memoryapp.ledger import jobs as ledger_jobs
        from memoryapp.sources import arrivals, learned
        from memoryapp.sources.withdrawing import Resting, rests_on_source

        ledger_jobs.register(
            KIND,
            jobs.read,
            title="Extraction",
            capabilities=jobs.CAPABILITIES,
            in_order=True,
            subjects=pages.subjects,
            hidden=hidden_subjects,
        )
        ledger_jobs.register(
            reading.KIND,
            reading.read,
            title="Reading with the model",
            capabilities=jobs.CAPABILITIES,
            in_order=True,
            subjects=pages.subjects,
            hidden=hidden_subjects,
        )
        learned.register("extraction", pages.learned_from)
        origins.register("extraction", pages.origins)
        waiting.register(unvouched.keep)
        arrivals.register(jobs.ask_for_extraction)
        rests_on_source("extraction", Resting(withdrawing.taken_back, withdrawing.given_back))
        arrivals.register(reading.ask_for_reading)
        cases.register_cases()
        erasing.register()
        retyping.register()
        mentions.register()
        parked.register()
