from django.apps import AppConfig


class FilesConfig(AppConfig):
    name = "memoryapp.files"
    label = "files"

    def ready(self) -> None:
        from memoryapp.files import checks, erasing, feeding, retyping, usage
        from memoryapp.files.attachments import extracting, keeping
        from memoryapp.files.pages.browsing import node_section
        from memoryapp.files.queries import why
        from memoryapp.files.queries.linking import naming
        from memoryapp.files.services import withdrawing
        from memoryapp.files.triggers import rules
        from memoryapp.graph import referring
        from memoryapp.graph.pages import sections
        from memoryapp.graph.queries import anything
        from memoryapp.index import texts
        from memoryapp.ledger import jobs, storing, triggers, unpacking
        from memoryapp.sources.withdrawing import Resting, rests_on_source

        jobs.register(
            extracting.KIND,
            extracting.read,
            title="Text of a file",
            capabilities=("read_files",),
            subjects=extracting.subjects,
            hidden=extracting.hidden,
        )
        triggers.register(rules)
        storing.register("files", keeping.stored)
        unpacking.register(extracting.text_within)
        texts.register(feeding.FILE, feeding.ids, feeding.load)
        rests_on_source("files", Resting(withdrawing.withdrawn, withdrawing.lifted, feeding.traces))
        anything.register(feeding.FILE, why.why)
        referring.register_reader("files", referring.Reader("files that lead to it", naming))
        sections.register("files", node_section)
        erasing.register()
        checks.register()
        retyping.register()
        usage.register()
