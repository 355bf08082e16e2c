// The Documents view: the server filters and sorts, and the address says how.
import { loader, pause, rename } from "./page.js";

const form = document.getElementById("listing");

if (form) {
  const target = document.getElementById("found");
  const found = loader(target);
  const DEFAULTS = { q: "", kind: "", sort: "path", folder: "" };
  let last = location.search;

  const asked = () => {
    const values = new URLSearchParams(new FormData(form));
    for (const [name, value] of Object.entries(DEFAULTS)) if (values.get(name) === value) values.delete(name);
    return values;
  };
  const list = () => {
    const values = asked();
    const query = values.size ? `?${values}` : "";
    if (query === last) return;
    last = query;
    history.replaceState(null, "", `/documents${query}`);
    rename(values.get("q") ?? values.get("folder"), "Documents");
    found(`/parts/documents${query}`);
  };
  const soon = pause(list, 140);
  form.addEventListener("input", soon);
  form.addEventListener("change", soon); // some browsers send no input for a list
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const first = document.querySelector("#list a[data-step]");
    const isShown = last === `?${asked()}` && !target.hasAttribute("aria-busy");
    if (first && asked().get("q") && isShown) first.click();
    else list();
  });
}
