"""A real browser that notices what a reader of the page would not: broken rules of access and of content security."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

AXE = (Path(__file__).parent / "vendor" / "axe-core-4.14.1" / "axe.min.js").read_text(encoding="utf-8")
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
LISTEN = """
window.__refused = [];
document.addEventListener('securitypolicyviolation', event => window.__refused.push(
    event.violatedDirective + ' refused ' + (event.blockedURI || 'inline') + ' ' + (event.sample || '')));
"""


@contextmanager
def open_browser() -> Iterator[Any]:
    """Debian's Chromium under Playwright.

    Playwright's own event loop runs in this thread, which Django takes for an asynchronous one; its database calls are
    synchronous all the same.
    """
    from playwright.sync_api import sync_playwright

    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


class Browser:
    """Opens pages, each in a context of its own, and closes them after the test."""

    def __init__(self, chromium: Any) -> None:
        self.chromium = chromium
        self.contexts: list[Any] = []

    def page(self, *, width: int = 1440, height: int = 900, theme: str = "light", **options: Any) -> Any:
        """A fresh page (no cookies). `theme` is what the reader's system asks for: light or dark."""
        context = self.chromium.new_context(
            viewport={"width": width, "height": height}, color_scheme=theme, reduced_motion="reduce", **options
        )
        context.add_init_script(LISTEN)
        self.contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(30_000)
        page.script_errors = []
        page.on("pageerror", lambda error: page.script_errors.append(str(error)))
        return page

    def close(self) -> None:
        for context in self.contexts:
            context.close()


def faults_of(page: Any) -> list[str]:
    """Everything wrong with the page as it stands: accessibility (axe), content security, script errors."""
    # Evaluated by the browser's debugger, which a content security policy does not bind.
    page.evaluate(AXE)
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
    faults = [
        f"axe {violation['id']}: {violation['help']} at {' '.join(violation['nodes'][0]['target'])}"
        for violation in found
    ]
    return faults + [f"csp {refused}" for refused in page.evaluate("window.__refused")] + list(page.script_errors)


def page_is_clean(page: Any) -> None:
    """Fail with the list when the page has an accessibility, content security or script fault."""
    faults = faults_of(page)
    assert not faults, f"{page.url} has faults:\n" + "\n".join(faults)
