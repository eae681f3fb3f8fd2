// Writing a form: the preview in which somebody is typing stays as it is while what was saved elsewhere on the page
// arrives. It comes anew with what is being typed, once that is sent.
document.body.addEventListener("htmx:oobBeforeSwap", (event) => {
  const preview = event.detail.target;
  const typing = document.activeElement;
  if (preview.id === "preview" && preview.contains(typing) && typing.value !== typing.defaultValue) {
    event.detail.shouldSwap = false;
  }
});
