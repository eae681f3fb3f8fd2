// Half-written words survive Back, reload, a dropped connection and a sign-out.
// A form with data-draft="<key>" keeps what was typed in this tab until the server has taken it.

const PREFIX = "draft:";
const TYPED = "textarea[name], input[type=text][name], input[type=date][name], input:not([type])[name], select[name]";

function read(key) {
  try {
    return JSON.parse(window.sessionStorage.getItem(PREFIX + key)) ?? {};
  } catch {
    return {};
  }
}

function write(key, values) {
  try {
    if (Object.keys(values).length) {
      window.sessionStorage.setItem(PREFIX + key, JSON.stringify(values));
    } else {
      window.sessionStorage.removeItem(PREFIX + key);
    }
  } catch {
    // Storage may be refused; the page then behaves as any other.
  }
}

export function forgetDraft(key) {
  write(key, {});
}

// Fields of one name are told apart by their places.
function* placed(form) {
  const seen = {};
  for (const field of form.querySelectorAll(TYPED)) {
    const place = (seen[field.name] = (seen[field.name] ?? -1) + 1);
    yield [place ? `${field.name} ${place}` : field.name, field];
  }
}

function asDrawn(field) {
  if (!field.options) {
    return field.defaultValue ?? "";
  }
  return ([...field.options].find((option) => option.defaultSelected) ?? field.options[0])?.value ?? "";
}

function restore(form) {
  const kept = read(form.dataset.draft);
  for (const [place, field] of placed(form)) {
    if (place in kept && field.value !== kept[place]) {
      field.value = kept[place];
      const note = form.querySelector("[data-draft-note]");
      if (note) {
        note.hidden = false;
      }
    }
  }
}

function keep(form) {
  const values = {};
  for (const [place, field] of placed(form)) {
    if (field.value !== asDrawn(field)) {
      values[place] = field.value;
    }
  }
  write(form.dataset.draft, values);
}

// A form that was sent by the browser itself: its draft is gone once a page of the console without that form follows.
// A refusal brings the form back with the words in it, and a sign-in keeps them for the way back.
function settleSent() {
  const key = read("sent").key;
  if (!key) {
    return;
  }
  const back = [...document.querySelectorAll("form[data-draft]")].some((form) => form.dataset.draft === key);
  if (!back && document.querySelector(".shell")) {
    forgetDraft(key);
  }
  if (back || document.querySelector(".shell")) {
    forgetDraft("sent");
  }
}

export function startDrafts() {
  settleSent();
  document.addEventListener("submit", (event) => {
    const key = event.target.dataset?.draft;
    if (key && !event.defaultPrevented) {
      write("sent", { key });
    }
  });
  const all = (root) => root.querySelectorAll?.("form[data-draft]").forEach(restore);
  all(document);
  document.body.addEventListener("htmx:load", (event) => all(event.detail.elt.parentElement ?? event.detail.elt));
  document.addEventListener("input", (event) => {
    const form = event.target.closest?.("form[data-draft]");
    if (form) {
      keep(form);
    }
  });
  document.addEventListener("reset", (event) => {
    if (event.target.dataset?.draft) {
      forgetDraft(event.target.dataset.draft);
    }
  });
  document.body.addEventListener("draft-taken", (event) => forgetDraft(event.detail.value));
}
