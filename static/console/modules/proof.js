// What proves to the server that a form came from this browser changes when one signs in again, in this tab or another.
// The cookie has it as it stands; forms drawn before take it from there, so that nothing has to be typed twice.

function current() {
  const found = document.cookie.split("; ").find((one) => one.startsWith("csrftoken="));
  return found?.slice("csrftoken=".length) ?? "";
}

function refresh() {
  const proof = current();
  if (!proof) {
    return;
  }
  for (const field of document.querySelectorAll("input[name=csrfmiddlewaretoken]")) {
    field.value = proof;
  }
}

export function startProof() {
  window.addEventListener("submit", refresh, true);
  window.addEventListener("focus", refresh);
  window.addEventListener("pageshow", refresh);
  document.addEventListener("visibilitychange", refresh);
  document.body.addEventListener("htmx:configRequest", (event) => {
    const proof = current();
    if (proof) {
      event.detail.headers["X-CSRFToken"] = proof;
    }
  });
}
