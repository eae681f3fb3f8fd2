"""A signed-in page in the real browser."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from memoryapp.ledger.models import Workspace
from memoryapp.ledger.principal import Principal
from tests.browser import Browser

PASSWORD = "a long enough password"


@pytest.fixture
def signed_in(
    live_server: Any, browser: Browser, workspace: Workspace, person: Callable[..., Principal]
) -> Callable[..., Any]:
    """`signed_in(role="reviewer", name="Nadia", staff=False, **page)`: a member who has signed in by the form."""

    def open_page(role: str = "reviewer", *, name: str = "Nadia", staff: bool = False, **options: Any) -> Any:
        from memoryapp.access.models import User

        person(workspace, role, name)
        User.objects.filter(username=name.lower()).update(is_staff=staff)
        page = browser.page(**options)
        page.goto(f"{live_server.url}/sign-in/")
        page.get_by_label("User name").fill(name.lower())
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_url(f"**/w/{workspace.slug}/")
        page.wait_for_selector("html[data-ready]")
        return page

    return open_page
