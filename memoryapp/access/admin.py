"""Operators look at members, agents and keys here, and keep the accounts that people sign in with."""

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin

from memoryapp.access.models import AgentKey, Tally, User
from memoryapp.ledger.admin import ReadOnlyAdmin, register_room


@admin.register(User)
class AccountAdmin(UserAdmin):  # type: ignore[type-arg]
    """An account is nobody's memory: it may be made, locked and given a new password. It is locked, never deleted."""

    def has_delete_permission(self, request: object, obj: object = None) -> bool:
        return False


@admin.register(AgentKey)
class KeyAdmin(ReadOnlyAdmin):
    """A key by its prefix. Its digest is nobody's to read."""

    list_display = ("prefix", "agent", "created_at", "expires_at", "revoked_at", "last_used_at")
    list_select_related = ("agent",)
    search_fields = ("id", "prefix", "agent__name")
    exclude = ("digest",)


@admin.register(Tally)
class TallyAdmin(ReadOnlyAdmin):
    """How often something was done of late. No workspace's: a wrong password is counted before anybody is known."""

    list_display = ("name", "used", "until")
    search_fields = ("name",)


register_room("access")
