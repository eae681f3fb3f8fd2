from django.apps import AppConfig


class ExtractionConfig(AppConfig):
    name = "memoryapp.extraction"
    label = "extraction"

    def ready(self) -> None:
        from memoryapp.extraction import cases, jobs
        from memoryapp.ledger import jobs as ledger_jobs
        from memoryapp.sources import arrivals

        ledger_jobs.register(jobs.KIND, jobs.read, title="Extraction", capabilities=jobs.CAPABILITIES, in_order=True)
        arrivals.register(jobs.ask_for_extraction)
        cases.register_cases()
