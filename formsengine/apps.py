from django.apps import AppConfig


class FormsConfig(AppConfig):
    name = "formsengine"
    label = "forms"

    def ready(self) -> None:
        from formsengine import checks, erasing, hooks, mentions
        from formsengine.services.storing import DELIVER
        from memoryapp.ledger import jobs

        jobs.register(DELIVER, hooks.deliver, title="Tell what happened in a form")
        erasing.register()
        checks.register()
        mentions.register()
