"""Operators look at members, agents and keys here, and keep the accounts that people sign in with."""

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin

from memoryapp.access.models import User
from memoryapp.ledger.admin import register_room


@admin.register(User)
class AccountAdmin(UserAdmin):  # type: ignore[type-arg]
    """An account is nobody's memory: it may be made, locked and given a new password. It is locked, never deleted."""

    def has_delete_permission(self, request: object, obj: object = None) -> bool:
        return False


register_room("access")
