"use strict";
// Adds to the page: a field that searches it, a button that copies each line for the shell, and the
// opening of an operation to which a link leads. Without this script the page shows everything as well.
const operations = [...document.querySelectorAll("main details.operation")];
const contents = document.querySelector("nav.contents");

function search(words) {
  for (const operation of operations) {
    const text = operation.textContent.toLowerCase();
    operation.hidden = !words.every((word) => text.includes(word));
  }
  for (const link of contents.querySelectorAll("a[href^='#']")) {
    const target = document.getElementById(link.hash.slice(1));
    link.parentElement.hidden = target.closest("details").hidden;
  }
}

if (operations.length > 0) {
  const field = document.createElement("input");
  field.type = "search";
  field.placeholder = "Search this page";
  field.setAttribute("aria-label", field.placeholder);
  field.addEventListener("input", () => search(field.value.toLowerCase().split(/\s+/u)));
  contents.prepend(field);
}

for (const line of document.querySelectorAll("pre.shell")) {
  const button = document.createElement("button");
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(line.textContent);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(line);
      button.textContent = "Selected";
    }
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
  line.before(button);
}

function open() {
  const target = document.getElementById(location.hash.slice(1));
  for (let part = target; part; part = part.parentElement?.closest("details")) {
    if (part instanceof HTMLDetailsElement) part.open = true;
  }
  (target?.closest("details.operation") ?? target)?.scrollIntoView?.();
}
addEventListener("hashchange", open);
open();
