// New cases and others' decisions appear by themselves: asked for now and then while the page is looked at, and only
// answered when something was written. A claim of one's own lasts as long as one works on its case.
const EVERY = 12_000;
const RENEW = 4 * 60_000;
let active = Date.now();
let renewed = Date.now();

const root = document.documentElement;

async function look() {
  const list = document.getElementById("cases");
  if (document.visibilityState !== "visible" || root.hasAttribute("data-deciding") || !list?.dataset.live) {
    return;
  }
  const front = document.getElementById("case");
  const asked = new URL(list.dataset.live, window.location.href);
  asked.searchParams.set("since", list.dataset.since);
  asked.searchParams.set("here", front?.dataset.case ?? "");
  asked.searchParams.set("lock", front?.querySelector("input[name=lock]")?.value ?? "");
  try {
    const answer = await fetch(asked, { headers: { "HX-Request": "true" }, credentials: "same-origin" });
    if (answer.status === 200 && !root.hasAttribute("data-deciding") && document.getElementById("cases") === list) {
      window.htmx.swap("#queue-answer", await answer.text(), { swapStyle: "innerHTML", swapDelay: 0, settleDelay: 0 });
      document.getElementById("queue-answer").replaceChildren();
    }
  } catch {
    // The next look may succeed; nothing was asked for by anybody.
  }
}

function renew() {
  const release = document.querySelector("#claim[formaction$='/release/'], #claim[formaction*='/release/?']");
  if (!release || Date.now() - renewed < RENEW || active < renewed) {
    return;
  }
  renewed = Date.now();
  const body = new FormData(release.form);
  fetch(release.getAttribute("formaction").replace("/release/", "/claim/"), { method: "POST", body, credentials: "same-origin", redirect: "manual" });
}

for (const name of ["keydown", "pointerdown"]) {
  document.addEventListener(name, () => {
    active = Date.now();
  });
}
window.setInterval(() => {
  renew();
  look();
}, EVERY);
document.addEventListener("visibilitychange", look);
