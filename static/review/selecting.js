// Selecting cases: x ticks the one in hand, Shift+x all from the last ticked to this one. Ticks outlive a new list.
const picked = new Set();
let last = "";

const boxes = () => [...document.querySelectorAll(".case-row__pick")];

function inHand() {
  const list = document.getElementById("cases");
  const focused = document.activeElement?.closest?.(".case-row");
  return (focused ?? list?.querySelector("[aria-current]")?.closest(".case-row"))?.querySelector(".case-row__pick");
}

function tell() {
  const all = boxes();
  for (const box of all) {
    if (box.checked) {
      picked.add(box.value);
    } else {
      picked.delete(box.value);
    }
  }
  const here = all.filter((box) => box.checked).length;
  for (const button of document.querySelectorAll("[data-needs-selection]")) {
    button.disabled = here === 0;
    button.querySelector("[data-selected]").textContent = here ? String(here) : "selected";
  }
}

function restore() {
  const all = boxes();
  const there = new Set(all.map((box) => box.value));
  for (const box of all) {
    box.checked = picked.has(box.value);
  }
  for (const value of [...picked].filter((one) => !there.has(one))) {
    picked.delete(value);
  }
  tell();
}

function pick(range) {
  const box = inHand();
  if (!box) {
    return;
  }
  const all = boxes();
  const from = all.findIndex((one) => one.value === last);
  if (range && from >= 0) {
    const to = all.indexOf(box);
    for (const one of all.slice(Math.min(from, to), Math.max(from, to) + 1)) {
      one.checked = true;
    }
  } else {
    box.checked = !box.checked;
  }
  last = box.value;
  tell();
}

document.addEventListener("keydown", (event) => {
  const isKey = event.key.toLowerCase() === "x" && !event.ctrlKey && !event.metaKey && !event.altKey;
  const typing = event.target.matches?.("textarea, select, input:not([type=checkbox])");
  if (isKey && !typing && document.body.dataset.shortcuts !== "off" && !document.querySelector("dialog:modal")) {
    event.preventDefault();
    pick(event.shiftKey);
  }
});
document.addEventListener("change", (event) => {
  if (event.target.matches(".case-row__pick")) {
    last = event.target.value;
    tell();
  }
});
document.body.addEventListener("htmx:afterSettle", restore);
restore();
