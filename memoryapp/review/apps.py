from django.apps import AppConfig


class ReviewConfig(AppConfig):
    name = "memoryapp.review"
    label = "review"

    def ready(self) -> None:
        from memoryapp.review import batching, checks, erasing

        batching.register()
        checks.register()
        erasing.register()
