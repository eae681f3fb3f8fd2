"""Forms of the console's own pages."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.auth.forms import AuthenticationForm
from django.http import HttpRequest


class SignInForm(AuthenticationForm):
    """User name and password; says what to do when they do not match, and not which of the two was wrong."""

    error_messages = {
        "invalid_login": "That user name and password do not go together. Both are case-sensitive.",
        "inactive": "This account is switched off. An administrator can switch it on.",
    }

    def __init__(self, request: HttpRequest | None = None, *args: Any, **kwargs: Any) -> None:
        super().__init__(request, *args, **kwargs)
        for name, label in (("username", "User name"), ("password", "Password")):
            field: forms.Field = self.fields[name]
            field.label = label
            field.widget.attrs["class"] = "input"
