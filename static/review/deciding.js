// Deciding a case: a verdict opens what it asks for, in place. Without scripts the server opens it instead.

const form = () => document.querySelector("form.deciding");

function firstField(block) {
  return block?.querySelector("textarea, input:not([type=hidden]), select");
}

function show(opener, blocks, shown) {
  opener?.setAttribute("aria-expanded", String(shown));
  for (const block of blocks) {
    block.hidden = !shown;
  }
}

function openerOf(panel) {
  return document.querySelector(`[aria-controls="${panel.id}"]`);
}

function toggle(opener, blocks) {
  const opening = blocks.some((block) => block.hidden);
  show(opener, blocks, opening);
  if (opening) {
    const field = firstField(blocks[blocks.length - 1]);
    field?.focus();
    field?.select?.();
  } else {
    opener.focus();
  }
}

function openPanel(opener) {
  for (const other of form().querySelectorAll(".decide .asks")) {
    if (other.id !== opener.getAttribute("aria-controls")) {
      show(openerOf(other), [other], false);
    }
  }
  toggle(opener, [document.getElementById(opener.getAttribute("aria-controls"))]);
}

function edits() {
  return [...(form()?.querySelectorAll("[data-edits]") ?? [])];
}

// Words kept from before are shown, wherever they were typed.
function reveal() {
  const changed = (block) =>
    [...block.querySelectorAll("textarea, input[type=text]")].some((field) => field.value !== field.defaultValue);
  if (edits().some(changed)) {
    show(document.getElementById("opens-edits"), edits(), true);
  }
  const panel = [...(form()?.querySelectorAll(".decide .asks") ?? [])].find(changed);
  if (panel) {
    show(openerOf(panel), [panel], true);
  }
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("form.deciding button[name=verdict]");
  if (button?.hasAttribute("aria-controls")) {
    event.preventDefault();
    openPanel(button);
  } else if (button?.value === "edit") {
    event.preventDefault();
    toggle(button, edits());
  }
});

// Enter in a field of a verdict decides that verdict, and never another; in a text it takes Control or Command as well.
document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !event.target.matches?.("form.deciding input, form.deciding textarea, form.deciding select")) {
    return;
  }
  if (event.target.matches("textarea") && !(event.ctrlKey || event.metaKey)) {
    return;
  }
  event.preventDefault();
  event.target.closest(".decide .asks")?.querySelector("[data-decides]")?.click();
});

document.body.addEventListener("htmx:load", () => window.setTimeout(reveal));
window.setTimeout(reveal);
