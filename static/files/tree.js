// The tree of directories. Without scripts it is links within lists; here the arrow keys walk it and it opens in place.
const tree = document.querySelector("[data-tree]");
let numbered = 0;

const below = (item) => item.parentElement.querySelector(":scope > ul");
const isOpen = (item) => item.getAttribute("aria-expanded") === "true";
const shown = () => [...tree.querySelectorAll("a")].filter((item) => !item.closest("ul[hidden]"));
const above = (item) => item.closest("ul").parentElement.querySelector(":scope > a");

function dress(list) {
  for (const item of list.querySelectorAll("a")) {
    item.parentElement.setAttribute("role", "none");
    item.setAttribute("role", "treeitem");
    item.tabIndex = -1;
    own(item);
    if (below(item) || item.dataset.holds !== undefined) {
      item.setAttribute("aria-expanded", String(Boolean(below(item)) && !below(item).hidden));
    }
  }
}

function own(item) {
  const group = below(item);
  if (group) {
    numbered += 1;
    group.id ||= `directories-${numbered}`;
    group.setAttribute("role", "group");
    item.setAttribute("aria-owns", group.id);
  }
}

function hold(item) {
  for (const other of tree.querySelectorAll('a[tabindex="0"]')) {
    other.tabIndex = -1;
  }
  item.tabIndex = 0;
}

function go(item) {
  if (item) {
    hold(item);
    item.focus();
  }
}

// What stands at an address of the tree, or nothing when one has to go there: signed out, or the directory is gone.
async function fetched(address) {
  try {
    const answer = await fetch(address, { headers: { "HX-Request": "true" } });
    return answer.ok && !answer.redirected ? await answer.text() : null;
  } catch {
    return null;
  }
}

function made(html) {
  const list = document.createElement("ul");
  list.className = "branch__below";
  list.innerHTML = html;
  return list;
}

async function open(item) {
  let group = below(item);
  if (!group) {
    item.setAttribute("aria-busy", "true");
    const html = await fetched(item.dataset.branch);
    item.removeAttribute("aria-busy");
    if (html === null) {
      location.assign(item.href);
      return;
    }
    group = made(html);
    item.after(group);
    dress(group);
    own(item);
  }
  group.hidden = false;
  item.setAttribute("aria-expanded", "true");
}

function close(item) {
  const group = below(item);
  if (group?.contains(document.activeElement)) {
    go(item);
  }
  if (group) {
    group.hidden = true;
  }
  item.setAttribute("aria-expanded", "false");
}

async function more(item) {
  const html = await fetched(item.dataset.more);
  if (html === null) {
    location.assign(item.href);
    return;
  }
  const list = made(html);
  const already = new Set([...item.closest("ul").querySelectorAll(":scope > li > a")].map((one) => one.href));
  for (const one of list.querySelectorAll("a[data-branch]")) {
    if (already.has(one.href)) {
      one.parentElement.remove();
    }
  }
  dress(list);
  const first = list.querySelector("a") ?? above(item);
  item.parentElement.replaceWith(...list.children);
  go(first);
}

const KEYS = {
  ArrowDown: (item, all) => go(all[all.indexOf(item) + 1]),
  ArrowUp: (item, all) => go(all[all.indexOf(item) - 1]),
  Home: (item, all) => go(all[0]),
  End: (item, all) => go(all.at(-1)),
  ArrowRight: (item) => {
    if (isOpen(item)) {
      go(below(item)?.querySelector("a"));
    } else if (item.hasAttribute("aria-expanded")) {
      open(item);
    }
  },
  ArrowLeft: (item) => (isOpen(item) ? close(item) : go(above(item))),
  "*": (item) => {
    for (const one of item.closest("ul").querySelectorAll(':scope > li > a[aria-expanded="false"]')) {
      open(one);
    }
  },
  " ": (item) => item.click(),
};

function press(event) {
  const item = event.target.closest("a");
  const act = KEYS[event.key];
  if (!item || !act || event.ctrlKey || event.metaKey || event.altKey) {
    return;
  }
  event.preventDefault();
  event.stopPropagation();
  act(item, shown());
}

function click(event) {
  const item = event.target.closest("a");
  if (item?.dataset.more) {
    event.preventDefault();
    more(item);
  } else if (item?.hasAttribute("aria-expanded") && event.target.closest(".branch__turn")) {
    event.preventDefault();
    isOpen(item) ? close(item) : open(item);
  }
}

if (tree) {
  tree.setAttribute("role", "tree");
  tree.setAttribute("aria-label", "Directories");
  dress(tree);
  const here = tree.querySelector("[aria-current]") ?? tree.querySelector("a");
  hold(here);
  const room = tree.parentElement;
  const place = here.getBoundingClientRect().top - room.getBoundingClientRect().top;
  if (place > room.clientHeight) {
    room.scrollTop = place - room.clientHeight / 2;
  }
  tree.addEventListener("keydown", press);
  tree.addEventListener("click", click);
  tree.addEventListener("focusin", (event) => hold(event.target));
}
