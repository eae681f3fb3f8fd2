// What happens when a request does not come back: nothing typed is lost, and the person is told what to do.
import { toast } from "./toasts.js";

let unsent = null;

function show(banner, shown) {
  if (banner) {
    banner.hidden = !shown;
  }
}

function tryAgain() {
  if (unsent?.isConnected) {
    const form = unsent.closest("form");
    if (form && unsent === form) {
      form.requestSubmit();
    } else {
      unsent.click();
    }
  } else {
    window.location.reload();
  }
}

export function startConnection() {
  const banner = document.getElementById("offline");
  document.body.addEventListener("htmx:sendError", (event) => {
    unsent = event.detail.elt;
    show(banner, true);
  });
  document.body.addEventListener("htmx:timeout", (event) => {
    unsent = event.detail.elt;
    show(banner, true);
  });
  document.body.addEventListener("htmx:afterRequest", (event) => {
    if (event.detail.xhr?.status > 0) {
      show(banner, false);
    }
  });
  window.addEventListener("online", () => show(banner, false));
  banner?.querySelector("[data-try-again]")?.addEventListener("click", tryAgain);
  document.body.addEventListener("signed-out", () => document.getElementById("signed-out")?.showModal());
  document.body.addEventListener("htmx:responseError", (event) => {
    const { xhr } = event.detail;
    if (!xhr.getResponseHeader("HX-Trigger")) {
      toast(`The server could not answer (${xhr.status}). Nothing was changed; try again.`, "bad");
    }
  });
}
