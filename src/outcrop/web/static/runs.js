// The Runs view: runs are started here, and followed while they last.
import { loader, reason } from "./page.js";

const MAX_FOLLOWED = 4; // a browser opens few connections to one server
const list = document.getElementById("runs");
const form = document.getElementById("start");
const refused = document.getElementById("refused");
const followed = new Set();

/** What loads a run into an element: one for all times, so that the newest wins. */
const showing = (id, holder) => {
  const load = loader(holder);
  return () => load(`/parts/runs/${id}`);
};

/** Follow a run: whenever it changes, its part is loaded again. */
const follow = (card) => {
  const id = card.dataset.run;
  if (followed.has(id) || followed.size >= MAX_FOLLOWED) return;
  followed.add(id);
  const holder = document.createElement("div");
  card.replaceWith(holder);
  holder.append(card);
  const show = showing(id, holder);
  const stream = new EventSource(`/v1/runs/${id}/events`);
  stream.addEventListener("run", show);
  stream.addEventListener("end", () => {
    stream.close();
    followed.delete(id);
    show().then(followAll);
  });
};

const followAll = () => {
  for (const card of list.querySelectorAll('[data-state="running"]')) follow(card);
};

form?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const button = form.querySelector("button");
  const paths = new FormData(form).get("paths").split(/\s+/).filter(Boolean);
  button.disabled = true;
  refused.hidden = true;
  try {
    const response = await fetch("/v1/index", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ paths: paths.length ? paths : ["."] }),
    });
    if (!response.ok) throw new Error(await reason(response));
    const run = await response.json();
    list.querySelector(".empty")?.remove();
    const holder = document.createElement("div");
    list.prepend(holder);
    await showing(run.id, holder)();
    followAll();
  } catch (error) {
    refused.textContent = error.message;
    refused.hidden = false;
  } finally {
    button.disabled = false;
  }
});
followAll();
