"""Who is signed in, with every workspace they may enter: asked of the database once for a page."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.backends import ModelBackend

from memoryapp.access.models import Membership, User


class SignedIn(ModelBackend):
    """Accounts with passwords. An account that is found for a session brings its memberships along, so that neither
    admission to a workspace nor the menu of workspaces asks for them again."""

    def get_user(self, user_id: Any) -> User | None:
        """The account of a session; None when there is none, or it may not sign in."""
        mine = Membership.objects.filter(user_id=user_id, ended_at__isnull=True)
        found = list(mine.select_related("user", "workspace", "actor").order_by("workspace__name"))
        user = found[0].user if found else User.objects.filter(pk=user_id).first()
        if user is None or not self.user_can_authenticate(user):
            return None
        user.entered = found
        return user


def memberships_of(user: User) -> list[Membership]:
    """The present memberships of an account, by the workspace's name, each with its workspace and its actor."""
    known: list[Membership] | None = user.entered
    if known is not None:
        return known
    mine = Membership.objects.filter(user_id=user.pk, ended_at__isnull=True).select_related("workspace", "actor")
    return list(mine.order_by("workspace__name"))
