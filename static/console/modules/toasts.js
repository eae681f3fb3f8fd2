// Short messages in the corner. They stay while pointed at or focused, and an Undo stays reachable in the history.
import { announce } from "./announce.js";

const STAYS = 10_000;

function leaveLater(toast) {
  let timer = 0;
  const start = () => {
    window.clearTimeout(timer);
    timer = window.setTimeout(() => {
      if (toast.matches(":hover, :focus-within")) {
        start();
      } else {
        toast.remove();
      }
    }, STAYS);
  };
  start();
}

function welcome(toast) {
  if (toast.dataset.seen) {
    return;
  }
  toast.dataset.seen = "true";
  announce(toast.querySelector("[data-toast-words]")?.textContent.trim());
  if (!toast.hasAttribute("data-stays")) {
    leaveLater(toast);
  }
}

export function toast(message, tone = "plain") {
  const corner = document.getElementById("toasts");
  const template = document.getElementById("toast-template");
  if (!corner || !template) {
    return;
  }
  const made = template.content.firstElementChild.cloneNode(true);
  made.querySelector("[data-toast-words]").textContent = message;
  if (tone === "bad") {
    made.classList.add("toast--bad");
  }
  corner.append(made);
}

export function startToasts() {
  const corner = document.getElementById("toasts");
  if (!corner) {
    return;
  }
  corner.querySelectorAll(".toast").forEach(welcome);
  new MutationObserver(() => corner.querySelectorAll(".toast").forEach(welcome)).observe(corner, { childList: true });
  corner.addEventListener("click", (event) => {
    if (event.target.closest("[data-close-toast]")) {
      event.target.closest(".toast").remove();
    }
  });
  document.body.addEventListener("toast", (event) => toast(event.detail.message, event.detail.tone));
}
