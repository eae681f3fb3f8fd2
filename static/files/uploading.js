// Files dropped anywhere on a directory are uploaded into it; chosen ones as soon as they are chosen need the button.
const form = document.querySelector("[data-upload]");
const place = form?.closest(".files__main");

const carriesFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");

function over(event) {
  if (carriesFiles(event)) {
    event.preventDefault();
    event.dataTransfer.dropEffect = "copy";
    place.dataset.dropping = "yes";
  }
}

function away(event) {
  if (!place.contains(event.relatedTarget)) {
    delete place.dataset.dropping;
  }
}

function drop(event) {
  delete place.dataset.dropping;
  if (carriesFiles(event) && event.dataTransfer.files.length) {
    event.preventDefault();
    form.querySelector('input[type="file"]').files = event.dataTransfer.files;
    form.requestSubmit();
  }
}

if (form && place) {
  place.addEventListener("dragover", over);
  place.addEventListener("dragleave", away);
  place.addEventListener("drop", drop);
}
