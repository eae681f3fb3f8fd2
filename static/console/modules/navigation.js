// On a narrow screen the navigation is one row that scrolls: the page one is on is in sight.
export function startNavigation() {
  const here = document.querySelector(".nav [aria-current]");
  const row = here?.closest(".nav");
  if (row && row.scrollWidth > row.clientWidth) {
    row.scrollLeft += here.getBoundingClientRect().left - row.getBoundingClientRect().left - (row.clientWidth - here.offsetWidth) / 2;
  }
}
