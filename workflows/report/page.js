"use strict";
const table = document.getElementById("table");
const body = table.tBodies[0];
const headings = [...table.tHead.rows[0].cells];

// Numbers by size, text by the alphabet, and what was never measured last in both directions.
function compare(one, other, sign) {
  if (one === "" || other === "") return (one === "") - (other === "");
  const difference = Number(one) - Number(other);
  return sign * (Number.isNaN(difference) ? one.localeCompare(other, "en", { numeric: true }) : difference);
}

headings.forEach((heading, place) => heading.querySelector("button").addEventListener("click", () => {
  const sign = heading.getAttribute("aria-sort") === "ascending" ? -1 : 1;
  headings.forEach((each) => each.setAttribute("aria-sort", "none"));
  heading.setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
  const value = (row) => row.cells[place].dataset.sort;
  body.append(...[...body.rows].sort((one, other) => compare(value(one), value(other), sign)));
}));

document.getElementById("filter").addEventListener("input", (event) => {
  const words = event.target.value.toLowerCase().split(/\s+/);
  const rows = [...body.rows];
  rows.forEach((row) => { row.hidden = !words.every((word) => row.textContent.toLowerCase().includes(word)); });
  document.getElementById("shown").textContent = `${rows.filter((row) => !row.hidden).length} of ${rows.length}`;
});

document.querySelectorAll(".copy").forEach((button) => button.addEventListener("click", async () => {
  const code = button.previousElementSibling;
  getSelection().selectAllChildren(code); // stays selected where the browser refuses the clipboard
  await navigator.clipboard?.writeText(code.textContent);
  button.textContent = "Copied";
}));

addEventListener("beforeprint", () => document.querySelectorAll("#machines details").forEach((each) => { each.open = true; }));
