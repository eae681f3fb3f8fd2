// The next case is fetched while this one is read. A verdict puts it in front at once and is sent meanwhile; what the
// server refuses comes back to the front with all that was typed.
const htmx = window.htmx;
const root = document.documentElement;
let ahead = { url: "", html: "" };
let sending = Promise.resolve();
let waiting = 0;

const front = () => document.getElementById("case");
const idOf = (url) => url.split("?")[0].split("/").filter(Boolean).pop();

async function fetchAhead() {
  const url = front()?.dataset.ahead ?? "";
  if (!url || url === ahead.url) {
    return;
  }
  ahead = { url, html: "" };
  try {
    const answer = await fetch(url, { headers: { "HX-Request": "true" }, credentials: "same-origin" });
    const html = answer.ok ? await answer.text() : "";
    if (ahead.url === url) {
      ahead = html ? { url, html } : { url: "", html: "" };
      if (html) {
        root.dataset.ahead = idOf(url);
      }
    }
  } catch {
    ahead = { url: "", html: "" };
  }
}

function put(html) {
  htmx.swap("#case", html, { swapStyle: "outerHTML", swapDelay: 0, settleDelay: 0 });
}

function mark() {
  const here = `item-${front()?.dataset.case ?? ""}`;
  for (const item of document.querySelectorAll(".case-item")) {
    if (item.id === here) {
      item.setAttribute("aria-current", "true");
      item.scrollIntoView({ block: "nearest" });
    } else {
      item.removeAttribute("aria-current");
    }
  }
}

function raise(answer) {
  const events = answer.headers.get("HX-Trigger");
  for (const [name, detail] of Object.entries(events ? JSON.parse(events) : {})) {
    htmx.trigger(document.body, name, typeof detail === "object" ? detail : { value: detail });
  }
  return Boolean(events);
}

// Until the answer is there, nothing takes back the decision before this one.
function busy(step) {
  waiting += step;
  root.toggleAttribute("data-deciding", waiting > 0);
  for (const button of document.querySelectorAll("#queue-foot form button, #toasts form button")) {
    button.disabled = waiting > 0;
  }
}

async function send(action, body, before) {
  const bringBack = () => {
    put(before.html);
    window.history.replaceState({ htmx: true }, "", before.url);
  };
  try {
    const answer = await fetch(action, { method: "POST", body, headers: { "HX-Request": "true" }, credentials: "same-origin" });
    const text = await answer.text();
    if (answer.ok && answer.headers.has("HX-Push-Url")) {
      put(text);
      window.history.replaceState({ htmx: true }, "", answer.headers.get("HX-Push-Url"));
    } else if (answer.ok) {
      htmx.swap("#queue-answer", text, { swapStyle: "innerHTML", swapDelay: 0, settleDelay: 0 });
      document.getElementById("queue-answer").replaceChildren();
    } else if ([409, 412, 422].includes(answer.status) && text.includes('id="case"')) {
      put(text);
      window.history.replaceState({ htmx: true }, "", before.url);
    } else {
      bringBack();
    }
    if (!raise(answer) && !answer.ok && ![409, 412, 422].includes(answer.status)) {
      htmx.trigger(document.body, "toast", { message: `The server could not answer (${answer.status}). Nothing was changed; try again.`, tone: "bad" });
    }
  } catch {
    bringBack();
    htmx.trigger(document.body, "htmx:sendError", { elt: document.querySelector("form.deciding") });
  }
}

function decide(event) {
  const form = event.target;
  const button = event.submitter;
  const verdict = button?.name === "verdict" ? button.value : "";
  const isReady = ahead.html && ahead.url === front()?.dataset.ahead;
  if (!form.matches("form.deciding") || !verdict || verdict === "edit" || verdict.startsWith("ask:") || !isReady) {
    return;
  }
  event.preventDefault();
  event.stopImmediatePropagation();
  const body = new FormData(form, button);
  body.append("ahead", idOf(ahead.url));
  const before = { html: front().outerHTML, url: window.location.href };
  const { action } = form;
  document.getElementById(`item-${front().dataset.case}`)?.setAttribute("data-going", "");
  window.history.pushState({ htmx: true }, "", ahead.url);
  put(ahead.html);
  busy(1);
  sending = sending.then(() => send(action, body, before)).finally(() => busy(-1));
}

document.addEventListener("submit", decide, true);
document.body.addEventListener("htmx:afterSettle", () => {
  mark();
  if (front()?.dataset.ahead !== ahead.url) {
    delete root.dataset.ahead;
    window.setTimeout(fetchAhead);
  }
});
window.setTimeout(fetchAhead);
