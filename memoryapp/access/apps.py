from django.apps import AppConfig


class AccessConfig(AppConfig):
    name = "memoryapp.access"
    label = "access"

    def ready(self) -> None:
        from memoryapp.access import erasing, sections
        from memoryapp.access.pages import admit, ruling
        from memoryapp.doors.pages import admit_members_with

        admit_members_with(admit)
        sections.register("paths", ruling.section)
        erasing.register()
