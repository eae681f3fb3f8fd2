// A menu closes when left: by a click elsewhere, by Escape, or when focus moves out of it.
export function startMenus() {
  const open = () => document.querySelectorAll("details.menu[open]");
  document.addEventListener("click", (event) => {
    open().forEach((menu) => {
      if (!menu.contains(event.target)) {
        menu.removeAttribute("open");
      }
    });
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      open().forEach((menu) => {
        menu.removeAttribute("open");
        menu.querySelector("summary").focus();
      });
    }
  });
  document.addEventListener("focusin", (event) => {
    open().forEach((menu) => {
      if (!menu.contains(event.target)) {
        menu.removeAttribute("open");
      }
    });
  });
}
