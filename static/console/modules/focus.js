// After a swap, focus goes where the person will look next, and never falls to the top of the page.
let before = null;

export function startFocus() {
  document.body.addEventListener("htmx:beforeSwap", (event) => {
    before = event.detail.target?.contains(document.activeElement) ? document.activeElement.id || "(lost)" : null;
  });
  document.body.addEventListener("htmx:afterSettle", (event) => {
    const settled = event.detail.elt;
    const asked = settled.matches?.("[data-focus]") ? settled : settled.querySelector?.("[data-focus]");
    if (asked) {
      if (!asked.hasAttribute("tabindex") && !asked.matches("a, button, input, select, textarea")) {
        asked.tabIndex = -1;
      }
      asked.focus({ preventScroll: asked.hasAttribute("data-focus-still") });
    } else if (before && (document.activeElement === document.body || !document.activeElement)) {
      (document.getElementById(before) ?? document.getElementById("main"))?.focus({ preventScroll: true });
    }
    before = null;
  });
}
