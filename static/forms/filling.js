// Filling a step: what is typed is kept in this browser until the server has taken it, and is sent in the order in
// which it was said. A dropped connection, a reload or a closed tab loses none of it; files are sent while the page is
// open only. Without scripts the buttons of the page save instead.
import { announce } from "../console/modules/announce.js";
import { toast } from "../console/modules/toasts.js";

const form = document.getElementById("answers");
const KEEP = `filling:${form?.dataset.response}`;
const LOOKS_EVERY = 15_000;
const TRIES_EVERY = 5_000;

const kept = read();
const files = new Map();
const begun = new Map();
let sending = null;
let timer = 0;

function read() {
  try {
    return { queue: [], typed: {}, last: "", ...JSON.parse(window.localStorage.getItem(KEEP)) };
  } catch {
    return { queue: [], typed: {}, last: "" };
  }
}

function store() {
  try {
    if (kept.queue.length || Object.keys(kept.typed).length || kept.last) {
      window.localStorage.setItem(KEEP, JSON.stringify(kept));
    } else {
      window.localStorage.removeItem(KEEP);
    }
  } catch {
    // Storage may be refused; what was typed then lives as long as the page.
  }
}

function device() {
  try {
    let found = window.localStorage.getItem("device");
    if (!found) {
      found = window.crypto.randomUUID();
      window.localStorage.setItem("device", found);
    }
    return found;
  } catch {
    return "";
  }
}

const number = () => document.getElementById("base").value;
const slotOf = (element) => element.closest?.(".slot[data-path]");
const slotAt = (path) => [...form.querySelectorAll(".slot[data-path]")].find((slot) => slot.dataset.path === path);

// What a slot says, as pairs of name and value; a file is left out and sent by itself.
function said(slot) {
  const within = new Set(slot.querySelectorAll("[name]"));
  const pairs = [];
  for (const field of within) {
    if (field.type === "file" || field.type === "submit" || (/radio|checkbox/.test(field.type) && !field.checked)) {
      continue;
    }
    pairs.push([field.name, field.value]);
  }
  return pairs;
}

function put(slot, pairs) {
  for (const field of slot.querySelectorAll("[name]:not([type=hidden]):not([type=submit]):not([type=file])")) {
    const values = pairs.filter(([name]) => name === field.name).map(([, value]) => value);
    if (/radio|checkbox/.test(field.type)) {
      field.checked = values.includes(field.value);
    } else if (values.length) {
      field.value = values[0];
    }
  }
}

function tell() {
  const line = document.getElementById("unsent");
  const count = kept.queue.length;
  const words = count && !navigator.onLine ? `${count} kept on this device until the connection is back.` : "";
  const failing = count && timer ? `${count} not sent yet; trying again.` : "";
  line.textContent = words || failing;
  line.hidden = !line.textContent;
}

function queue(slot) {
  const path = slot.dataset.path;
  const record = {
    key: window.crypto.randomUUID(),
    path,
    step: form.elements.step.value,
    base: begun.get(path) ?? kept.typed[path]?.base ?? number(),
    pairs: said(slot),
  };
  const chosen = slot.querySelector("input[type=file]");
  if (chosen?.files.length) {
    files.set(record.key, [chosen.name, chosen.files[0]]);
    record.file = chosen.files[0].name;
  }
  kept.queue.push(record);
  begun.delete(path);
  delete kept.typed[path];
  store();
  send();
}

function body(record) {
  const data = new FormData();
  data.set("csrfmiddlewaretoken", form.elements.csrfmiddlewaretoken.value);
  for (const [name, value] of Object.entries({ ...record, after: kept.last, device: device() })) {
    if (["key", "step", "base", "after", "device"].includes(name)) {
      data.set(name, value);
    }
  }
  for (const [name, value] of record.pairs) {
    data.append(name, value);
  }
  for (const slot of form.querySelectorAll(".slot--trouble[data-path]")) {
    data.append("troubled", slot.dataset.path);
  }
  const file = files.get(record.key);
  if (file) {
    data.set(...file);
    return data;
  }
  return new URLSearchParams(data);
}

// Busy: somebody is typing there, or what was typed there is on its way.
function busy(path) {
  return begun.has(path) || path in kept.typed || kept.queue.some((record) => record.path === path);
}

function show(markup) {
  const came = new DOMParser().parseFromString(markup, "text/html");
  for (const part of came.querySelectorAll("[hx-swap-oob]")) {
    part.removeAttribute("hx-swap-oob");
    const here = document.getElementById(part.id);
    if (!here || (part.dataset.path && busy(part.dataset.path))) {
      continue;
    }
    const within = here.contains(document.activeElement) ? document.activeElement.id : "";
    here.replaceWith(part);
    if (within) {
      document.getElementById(within)?.focus();
    }
  }
  tell();
}

async function sendOne(record) {
  const answer = await fetch(form.action, {
    method: "POST",
    body: body(record),
    headers: { "HX-Request": "true" },
    credentials: "same-origin",
  });
  if (answer.status === 401) {
    document.getElementById("signed-out")?.showModal();
    throw new Error("signed out");
  }
  if (answer.status >= 500 || answer.status === 429) {
    throw new Error(String(answer.status));
  }
  kept.queue.shift();
  files.delete(record.key);
  if (!answer.ok) {
    store();
    const words = JSON.parse(answer.headers.get("HX-Trigger") ?? "{}").toast?.message;
    toast(words ?? "This could not be saved. Reload the page and look at it again.", "bad");
    return;
  }
  const markup = await answer.text();
  const taken = /data-key="([^"]+)"/.exec(markup)?.[1];
  kept.last = taken ?? kept.last;
  store();
  show(markup);
  const slot = slotAt(record.path);
  if (slot?.querySelector(".field__error, .slot__others")) {
    announce(slot.querySelector(".field__error, .slot__others").textContent.trim().slice(0, 200));
  }
}

// One after the other, in the order in which they were said; what cannot be sent waits and keeps those after it.
function send() {
  window.clearTimeout(timer);
  timer = 0;
  sending ??= (async () => {
    try {
      while (kept.queue.length) {
        await sendOne(kept.queue[0]);
      }
      document.getElementById("offline").hidden = true;
    } catch {
      timer = window.setTimeout(send, TRIES_EVERY);
      tell();
    } finally {
      sending = null;
    }
  })();
  return sending;
}

async function look() {
  if (document.hidden || sending || kept.queue.length || !navigator.onLine) {
    return;
  }
  const step = encodeURIComponent(form.elements.step.value);
  try {
    const answer = await fetch(`${form.action}?step=${step}&since=${number()}`, { headers: { "HX-Request": "true" } });
    if (answer.status === 200 && !sending) {
      show(await answer.text());
    }
  } catch {
    // The next look, or the next save, finds the server again.
  }
}

function restore() {
  for (const record of kept.queue) {
    const slot = slotAt(record.path);
    if (slot) {
      put(slot, record.pairs);
    }
  }
  for (const [path, { pairs }] of Object.entries(kept.typed)) {
    const slot = slotAt(path);
    if (slot) {
      put(slot, pairs);
      queue(slot);
    }
  }
  if (kept.queue.length) {
    send();
  }
}

if (form) {
  form.elements.device.value = device();
  form.addEventListener("input", (event) => {
    const slot = slotOf(event.target);
    if (slot && event.target.name && event.target.type !== "file") {
      const path = slot.dataset.path;
      begun.set(path, begun.get(path) ?? number());
      kept.typed[path] = { base: begun.get(path), pairs: said(slot) };
      store();
    }
  });
  form.addEventListener("change", (event) => {
    const slot = slotOf(event.target);
    if (slot && event.target.name) {
      queue(slot);
    }
  });
  form.addEventListener("submit", (event) => {
    if (!kept.queue.length) {
      return;
    }
    event.preventDefault();
    send().then(() => {
      if (!kept.queue.length) {
        form.requestSubmit(event.submitter);
      } else {
        document.getElementById("offline").hidden = false;
      }
    });
  });
  document.getElementById("offline")?.querySelector("[data-try-again]")?.addEventListener("click", (event) => {
    event.stopImmediatePropagation();
    send();
  }, { capture: true });
  window.addEventListener("online", send);
  window.addEventListener("offline", tell);
  document.addEventListener("visibilitychange", look);
  window.setInterval(look, LOOKS_EVERY);
  restore();
  tell();
}
