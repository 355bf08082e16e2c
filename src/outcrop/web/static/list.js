// The list of documents: what does not fit is hidden as one types.
import { pause } from "./page.js";

const field = document.querySelector("[data-filter]");
const rows = [...document.querySelectorAll("#list > li")];

field?.addEventListener(
  "input",
  pause(() => {
    const wanted = field.value.trim().toLowerCase();
    for (const row of rows) row.hidden = !row.textContent.toLowerCase().includes(wanted);
  }, 60),
);
