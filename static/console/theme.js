// Runs before the first paint: what this browser last chose stands until the account says otherwise.
"use strict";
(function () {
  const root = document.documentElement;
  if (root.dataset.theme) {
    return;
  }
  try {
    const kept = window.localStorage.getItem("theme");
    if (kept === "light" || kept === "dark") {
      root.dataset.theme = kept;
    }
  } catch {
    // Storage may be refused; the system's theme is used.
  }
})();
