// A control with data-opens names a dialog; inside it, data-closes closes. Focus returns to the control.
export function openDialog(id) {
  const dialog = document.getElementById(id);
  if (dialog && !dialog.open) {
    dialog.showModal();
  }
}

export function startDialogs() {
  document.addEventListener("click", async (event) => {
    const opener = event.target.closest("[data-opens]");
    if (opener) {
      event.preventDefault();
      opener.closest("details.menu")?.removeAttribute("open");
      openDialog(opener.dataset.opens);
      return;
    }
    const closer = event.target.closest("[data-closes]");
    if (closer) {
      closer.closest("dialog")?.close();
      return;
    }
    if (event.target instanceof HTMLDialogElement && event.target.open) {
      event.target.close();
      return;
    }
    const copier = event.target.closest("[data-copies]");
    if (copier) {
      const { toast } = await import("./toasts.js");
      try {
        await navigator.clipboard.writeText(document.getElementById(copier.dataset.copies).textContent.trim());
        toast("Copied.");
      } catch {
        toast("The browser did not allow copying. Select the text and copy it.", "bad");
      }
      return;
    }
    if (event.target.closest("[data-prints]")) {
      window.print();
    }
  });
}
