// Rules of a policy: Alt with an arrow moves the row one is in, as its buttons do; what is ticked is said in the summary.
const MOVES = { ArrowUp: "up:", ArrowDown: "down:" };

document.addEventListener("keydown", (event) => {
  const move = MOVES[event.key];
  const rule = event.target.closest?.(".rule");
  if (!move || !rule || !event.altKey || event.ctrlKey || event.metaKey) {
    return;
  }
  event.preventDefault();
  rule.querySelector(`button[value^="${move}"]:not([disabled])`)?.click();
});

document.addEventListener("change", (event) => {
  const any = event.target.closest?.(".rule__any");
  if (any) {
    const chosen = [...any.querySelectorAll("input:checked")].map((box) => box.parentElement.textContent.trim());
    any.querySelector(".rule__chosen").textContent = chosen.join(", ") || "any";
  }
});
