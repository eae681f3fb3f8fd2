from django.apps import AppConfig


class AccessConfig(AppConfig):
    name = "memoryapp.access"
    label = "access"

    def ready(self) -> None:
        from django.db.backends.signals import connection_created

        from memoryapp.access import erasing, noting, refusals, sections
        from memoryapp.access.pages import admit, ruling
        from memoryapp.access.paths import matching
        from memoryapp.doors.pages import admit_members_with

        connection_created.connect(matching.install, dispatch_uid="patterns of paths")
        admit_members_with(admit)
        sections.register("paths", ruling.section)
        erasing.register()
        refusals.register(noting.note)
