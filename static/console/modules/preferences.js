// Theme and shortcuts change at once and are kept in the account. Without scripts the same forms post and come back.
import { announce } from "./announce.js";
import { applyShortcuts } from "./keyboard.js";

function applyTheme(theme) {
  document.documentElement.dataset.theme = theme;
  try {
    window.localStorage.setItem("theme", theme);
  } catch {
    // The account still keeps it.
  }
}

const applied = {
  theme: applyTheme,
  shortcuts(value) {
    document.body.dataset.shortcuts = value;
    applyShortcuts();
  },
};

export function startPreferences() {
  document.addEventListener("submit", (event) => {
    const form = event.target.closest("form[data-preference]");
    if (!form) {
      return;
    }
    event.preventDefault();
    const chosen = new FormData(form, event.submitter);
    const name = form.dataset.preference;
    const value = chosen.get(name);
    applied[name]?.(value);
    for (const button of document.querySelectorAll(`form[data-preference="${name}"] button[name="${name}"]`)) {
      button.setAttribute("aria-pressed", String(button.value === value));
    }
    announce(event.submitter?.dataset.says ?? "Saved.");
    if (form.action) {
      fetch(form.action, { method: "POST", body: chosen, headers: { "HX-Request": "true" } }).catch(() => {});
    }
  });
}
