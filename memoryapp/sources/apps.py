from django.apps import AppConfig


class SourcesConfig(AppConfig):
    name = "memoryapp.sources"
    label = "sources"

    def ready(self) -> None:
        from memoryapp.sources import checks, erasing

        checks.register()
        erasing.register()
