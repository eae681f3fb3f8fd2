// The viewer skips a heading level and leaves its title outside any landmark; this says what they are.
new MutationObserver(() => {
  for (const heading of document.querySelectorAll("h3.opblock-tag:not([aria-level])")) {
    heading.setAttribute("aria-level", "2");
  }
  for (const part of document.querySelectorAll(".information-container:not([role])")) {
    part.setAttribute("role", "banner");
  }
}).observe(document.getElementById("swagger-ui"), { childList: true, subtree: true });
