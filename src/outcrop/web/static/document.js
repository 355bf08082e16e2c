// The Document view: sliders that cut again, and the keys that move through the chunks.
import { loader, pause } from "./page.js";
import { reach } from "./scroll.js";

const form = document.getElementById("controls");
const text = document.getElementById("text");
const target = document.getElementById("cut");
const cut = loader(target);
let chosen = -1;

const values = () => {
  const data = new FormData(form);
  return {
    path: decodeURIComponent(form.dataset.path) || null,
    text: text ? text.value : null,
    as_indexed: data.get("which") === "indexed",
    size: Number(data.get("size")),
    overlap: Math.min(Number(data.get("overlap")), Number(data.get("size")) - 1),
    strategy: data.get("strategy"),
    oversize: data.get("oversize"),
    unit: data.get("unit"),
  };
};

/** Keep the settings in the address, so that it can be opened and sent. */
const remember = (body) => {
  if (!body.path) return;
  const { size, overlap, strategy, oversize, unit } = body;
  const again = new URLSearchParams({ size, overlap, strategy, oversize, unit });
  history.replaceState(null, "", location.pathname + (body.as_indexed ? "" : `?${again}`));
};

const cutAgain = pause(async () => {
  const body = values();
  remember(body);
  chosen = -1;
  if (text && !text.value.trim()) return;
  const headers = { "Content-Type": "application/json" };
  const isThere = await cut("/parts/cut", { method: "POST", headers, body: JSON.stringify(body) });
  if (isThere) document.dispatchEvent(new CustomEvent("outcrop-tree"));
}, 90);

const label = () => {
  for (const input of form.querySelectorAll("[type=range]")) {
    input.nextElementSibling.textContent = Number(input.value).toLocaleString("en");
  }
};

/** A token has about four characters. */
const convert = (unit) => {
  for (const name of ["size", "overlap"]) {
    const input = form.elements[name];
    input.value = Math.round(input.value * (unit === "tokens" ? 1 / 4 : 4));
  }
};

if (form) {
  form.addEventListener("submit", (event) => event.preventDefault());
  const onChange = (event) => {
    const again = form.querySelector("[name=which][value=again]");
    if (again && event.target.name !== "which") again.checked = true;
    if (event.type === "change" && event.target.name === "unit") convert(event.target.value);
    label();
    cutAgain();
  };
  form.addEventListener("input", onChange);
  form.addEventListener("change", onChange); // some browsers send no input for a list
  text?.addEventListener("input", cutAgain);
}

/** Choose a chunk: it is framed, and so is what stands for it elsewhere. */
const choose = (chunk, scroll) => {
  const chunks = [...target.querySelectorAll(".chunk")];
  chosen = chunks.indexOf(chunk);
  for (const other of target.querySelectorAll(".on")) other.classList.remove("on");
  chunk.classList.add("on");
  for (const link of target.querySelectorAll(`a[href="#${CSS.escape(chunk.id)}"]`)) link.classList.add("on");
  history.replaceState(null, "", `#${chunk.dataset.id ?? chunk.id}`);
  if (scroll) reach(chunk);
};

const follow = () => {
  const name = decodeURIComponent(location.hash.slice(1));
  if (!name) return;
  const line = /^L(\d+)$/.exec(name);
  const found = line
    ? target.querySelector(`.l[data-n="${line[1]}"]`)
    : document.getElementById(name);
  const chunk = found?.closest(".chunk");
  if (!chunk) return;
  const place = location.hash;
  choose(chunk, !line);
  if (line) {
    history.replaceState(null, "", place);
    found.classList.add("on");
    reach(found, "center");
  }
};

target.addEventListener("click", (event) => {
  const link = event.target.closest('a[href^="#c"]');
  const chunk = link ? document.getElementById(link.getAttribute("href").slice(1)) : event.target.closest(".chunk");
  if (!chunk) return;
  if (link) event.preventDefault();
  choose(chunk, Boolean(link));
});
document.addEventListener("outcrop-choose", (event) => {
  const item = document.getElementById(`n${event.detail}`);
  choose(document.getElementById(item.getAttribute("href").slice(1)), true);
});
document.addEventListener("keydown", (event) => {
  if (event.target.matches("input, textarea, select") || event.ctrlKey || event.metaKey) return;
  const by = { j: 1, k: -1, ArrowRight: 1, ArrowLeft: -1 }[event.key];
  const chunks = target.querySelectorAll(".chunk");
  if (!by || !chunks.length) return;
  event.preventDefault();
  choose(chunks[Math.max(0, Math.min(chosen + by, chunks.length - 1))], true);
});
document.getElementById("views")?.addEventListener("click", (event) => {
  const link = event.target.closest("a");
  const chunk = target.querySelector(".chunk.on[data-id]");
  if (link && chunk) link.hash = chunk.dataset.id;
});
addEventListener("hashchange", follow);
follow();
