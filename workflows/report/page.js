"use strict";
const table = document.getElementById("table");
const body = table.tBodies[0];
const headings = [...table.tHead.rows[0].cells];

// Numbers by size, text by the alphabet, and what was never measured last in both directions.
const alphabet = new Intl.Collator("en", { numeric: true });
function compare(one, other, sign) {
  if (one === "" || other === "") return (one === "") - (other === "");
  const difference = Number(one) - Number(other);
  return sign * (Number.isNaN(difference) ? alphabet.compare(one, other) : difference);
}

headings.forEach((heading, place) => heading.querySelector("button").addEventListener("click", () => {
  const sign = heading.getAttribute("aria-sort") === "ascending" ? -1 : 1;
  headings.forEach((each) => each.setAttribute("aria-sort", "none"));
  heading.setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
  const value = (row) => row.cells[place].dataset.sort;
  body.append(...[...body.rows].sort((one, other) => compare(value(one), value(other), sign)));
  showRows();
}));

const box = document.getElementById("filter");
const picks = [...document.querySelectorAll("[data-pick]")];

// A row without a value, of a claim that names several, is about all of them.
function isPicked(row) {
  return picks.every(({ value, dataset }) => !value || !row.dataset[dataset.pick]
    || row.dataset[dataset.pick].split(" ").includes(value));
}

// A mark fades when its title names another model, system or number of devices than the picked one.
function isOther(text) {
  const words = text.toLowerCase().split(/[^\w-]+/);
  return picks.some(({ value, options, dataset }) => {
    if (!value) return false;
    if (dataset.pick === "devices") return (text.match(/(\d+) devices?/) ?? [0, value])[1] !== value;
    return !words.includes(value.toLowerCase()) && [...options].some((one) => one.value && words.includes(one.value.toLowerCase()));
  });
}

// Of thousands of rows only the first are laid out, until all are asked for.
const all = document.getElementById("all");
let most = Number(table.dataset.most);
const texts = new Map([...body.rows].map((row) => [row, row.textContent.toLowerCase()]));
function showRows() {
  const words = box.value.toLowerCase().split(/\s+/);
  let found = 0;
  for (const row of body.rows) {
    const isFound = isPicked(row) && words.every((word) => texts.get(row).includes(word));
    row.hidden = !isFound || ++found > most;
  }
  document.getElementById("shown").textContent = `${found} of ${texts.size}`;
  all.textContent = `Show all ${found}`;
  all.parentElement.hidden = found <= most;
}

all.addEventListener("click", () => { most = Infinity; showRows(); });

function show() {
  showRows();
  document.querySelectorAll("#judged tbody tr, #untried li").forEach((row) => { row.hidden = !isPicked(row); });
  const left = document.getElementById("left");
  if (left) {
    const { length } = document.querySelectorAll("#untried li:not([hidden])");
    left.textContent = `${length} claim${length === 1 ? "" : "s"}`;
  }
  document.querySelectorAll(".mark").forEach(fade);
}

// Each point has a title of its own; the line through them, which has none, fades with all of them.
function fade(mark) {
  const titles = [...mark.querySelectorAll("title")];
  titles.forEach((title) => title.parentElement.classList.toggle("faded", isOther(title.textContent)));
  mark.classList.toggle("faded", titles.every((title) => isOther(title.textContent)));
}

box.addEventListener("input", show);
picks.forEach((pick) => pick.addEventListener("change", show));
show(); // a browser may come back with what was chosen before

document.querySelectorAll(".copy").forEach((button) => button.addEventListener("click", async () => {
  const code = button.previousElementSibling;
  getSelection().selectAllChildren(code); // stays selected where the browser refuses the clipboard
  await navigator.clipboard?.writeText(code.textContent);
  button.textContent = "Copied";
}));

addEventListener("beforeprint", () => document.querySelectorAll("#machines details").forEach((each) => { each.open = true; }));
