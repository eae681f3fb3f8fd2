from django.apps import AppConfig


class FormsConfig(AppConfig):
    name = "formsengine"
    label = "forms"

    def ready(self) -> None:
        from formsengine import checks, erasing, feeding, hooks, mentions
        from formsengine.models import FormOutcome, FormResponse
        from formsengine.queries import attached, filled, why
        from formsengine.services import waiting
        from formsengine.services.storing import DELIVER
        from memoryapp.graph.queries import anything
        from memoryapp.graph.referring import Pointer, Reader, register, register_reader
        from memoryapp.index import texts
        from memoryapp.ledger import jobs, storing

        jobs.register(DELIVER, hooks.deliver, title="Tell what happened in a form")
        jobs.register(waiting.KIND, waiting.give_up, title="Take an answer that waited for another")
        register(Pointer("form.subject", FormResponse, "subject", "forms about it"))
        register_reader("outcomes", Reader("outcomes of forms", FormOutcome.naming))
        storing.register("forms", attached.stored)
        texts.register(filled.RESPONSE, feeding.ids, feeding.load, by_words_only=True)
        anything.register(filled.RESPONSE, why.why)
        erasing.register()
        checks.register()
        mentions.register()
