// Speaks to screen readers through the page's one live region.
// A swapped fragment says what happened with data-announce; a response says it with the `announce` event.

let clearing = 0;

export function announce(message) {
  const region = document.getElementById("live");
  if (!region || !message) {
    return;
  }
  window.clearTimeout(clearing);
  region.textContent = "";
  window.requestAnimationFrame(() => {
    region.textContent = message;
  });
  clearing = window.setTimeout(() => {
    region.textContent = "";
  }, 8000);
}

export function startAnnouncements() {
  document.body.addEventListener("announce", (event) => announce(event.detail.value ?? event.detail.message));
  document.body.addEventListener("htmx:afterSettle", (event) => {
    const said = event.detail.elt.closest("[data-announce]") ?? event.detail.elt.querySelector("[data-announce]");
    if (said) {
      announce(said.dataset.announce);
    }
  });
}
