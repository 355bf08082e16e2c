// The reading view: links to headings and chunks land there, and the address says where.
import { reach } from "./scroll.js";

const CHUNK = /^#[0-9a-f]{16}$/;

const follow = () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target) reach(target);
};

/** A heading, by the link that others would use. */
document.addEventListener("outcrop-choose", (event) => {
  const item = document.getElementById(`n${event.detail}`);
  const heading = document.getElementById(item.getAttribute("href").slice(1));
  history.replaceState(null, "", `#${encodeURIComponent(heading.querySelector("i[id]").id)}`);
  document.dispatchEvent(new CustomEvent("outcrop-shown", { detail: event.detail }));
  reach(heading);
});
document.getElementById("views").addEventListener("click", (event) => {
  const link = event.target.closest("a");
  if (link && CHUNK.test(location.hash)) link.hash = location.hash;
});
addEventListener("hashchange", follow);
follow();
