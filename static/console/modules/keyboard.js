// Single keys press the buttons that show them. Off where the person's preferences say so, and never inside a field.
import { install, uninstall } from "../../vendor/github-hotkey-3.1.4/index.js";

const installed = new Set();

function wanted() {
  return document.body.dataset.shortcuts !== "off";
}

function sweep() {
  for (const element of installed) {
    if (!element.isConnected || !wanted()) {
      uninstall(element);
      installed.delete(element);
    }
  }
}

function take(root) {
  sweep();
  if (!wanted()) {
    return;
  }
  for (const element of root.querySelectorAll("[data-hotkey]")) {
    if (!installed.has(element)) {
      install(element);
      installed.add(element);
    }
  }
}

export function applyShortcuts() {
  take(document);
}

function move(list, step) {
  const items = [...list.querySelectorAll("[data-item]")];
  if (!items.length) {
    return;
  }
  const at = items.findIndex((item) => item === document.activeElement);
  const from = at >= 0 ? at : items.findIndex((item) => item.hasAttribute("aria-current"));
  const next = items[Math.max(0, Math.min(items.length - 1, from + step))];
  next.focus();
  next.scrollIntoView({ block: "nearest" });
}

// A button in a part of the page that is not shown, such as the pane behind on a narrow screen. A closed menu still counts.
function unseen(element) {
  const pane = element.closest(".panes > *");
  return Boolean(element.closest("[hidden], [inert]")) || pane?.checkVisibility() === false;
}

// A key held down walks a list; anything else that a single key does it does once. A click that follows another at once
// was meant for what stood there before.
function onlyOnce() {
  window.addEventListener("keydown", (event) => {
    const typing = event.target.matches?.("input, textarea, select, [contenteditable]");
    if (event.repeat && event.key.length === 1 && !"jk".includes(event.key) && !typing) {
      event.stopPropagation();
    }
  }, true);
  window.addEventListener("click", (event) => {
    if (event.detail > 1 && event.target.closest?.("[data-once]")) {
      event.preventDefault();
      event.stopPropagation();
    }
  }, true);
}

export function startKeyboard() {
  onlyOnce();
  take(document);
  document.body.addEventListener("htmx:load", () => take(document));
  document.addEventListener("click", (event) => {
    const mover = event.target.closest("[data-moves]");
    if (mover) {
      const list = document.getElementById(mover.dataset.in);
      if (list) {
        move(list, mover.dataset.moves === "next" ? 1 : -1);
      }
    }
  });
  // A key belongs to the page in front: with a dialog open the page behind does not listen.
  // The event does not bubble, so it is met on its way down.
  document.addEventListener("hotkey-fire", (event) => {
    const dialog = document.querySelector("dialog:modal");
    const element = event.target;
    if ((dialog && !dialog.contains(element)) || element.disabled || unseen(element)) {
      event.preventDefault();
    }
  }, true);
  // Escape leaves a field, so that the keys work again.
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && event.target.matches?.("input, textarea, select") && !event.target.closest("dialog")) {
      event.target.blur();
      document.getElementById(event.target.dataset.escapesTo ?? "main")?.focus();
    }
  });
}
