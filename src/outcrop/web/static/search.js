// The Search view: results as one types, and the context within its budget.
import { loader, pause, rename } from "./page.js";

const form = document.getElementById("asking");
const tokens = document.getElementById("tokens");
const shown = document.getElementById("tokens-shown");
const results = loader(document.getElementById("results"));
const context = loader(document.getElementById("context"));
const DEFAULT_TOKENS = "2000"; // the server's default
let last = "";

const asked = () => {
  const values = new URLSearchParams(new FormData(form));
  for (const [name, value] of [...values]) if (!value) values.delete(name);
  if (values.get("mode") === "hybrid") values.delete("mode");
  if (values.get("tokens") === DEFAULT_TOKENS) values.delete("tokens");
  return values;
};

const withTokens = (values) => {
  const all = new URLSearchParams(values);
  all.set("tokens", tokens.value);
  return all;
};

const ask = async () => {
  const values = asked();
  if (values.toString() === last) return;
  last = values.toString();
  history.replaceState(null, "", last ? `/?${last}` : "/");
  rename(values.get("q"));
  const only = new URLSearchParams(values);
  only.delete("tokens");
  if (await results(`/parts/results?${only}`)) await context(`/parts/context?${withTokens(values)}`);
};

const repack = pause(() => {
  const values = asked();
  last = values.toString();
  history.replaceState(null, "", last ? `/?${last}` : "/");
  context(`/parts/context?${withTokens(values)}`);
}, 150);

const soon = pause(ask, 160);
last = asked().toString();

form.addEventListener("input", (event) => {
  if (event.target.name === "q") form.querySelector("[name=verbatim]")?.remove();
  soon();
});
form.addEventListener("change", soon); // some browsers send no input for a list
form.addEventListener("submit", (event) => {
  event.preventDefault();
  ask();
});
tokens.addEventListener("input", (event) => {
  event.stopPropagation();
  shown.textContent = `${Number(tokens.value).toLocaleString("en")} tokens`;
  repack();
});
document.getElementById("q").addEventListener("keydown", (event) => {
  if (event.key !== "Enter") return;
  const first = document.querySelector(".hits [data-step]");
  if (first && asked().toString() === last) {
    event.preventDefault();
    first.click();
  }
});
document.getElementById("context").addEventListener("click", async (event) => {
  if (event.target.id !== "copy") return;
  const button = event.target;
  const plain = document.getElementById("plain");
  try {
    await navigator.clipboard.writeText(plain.value);
  } catch {
    plain.select(); // no clipboard without a secure origin
    document.execCommand("copy");
  }
  button.textContent = "Copied";
  setTimeout(() => (button.textContent = "Copy"), 1500);
});
