// Shared by all views: the theme, the keys, and parts loaded from the server.

const root = document.documentElement;
const progress = document.getElementById("progress");
let pending = 0;

/** Show that something is on its way. */
const busy = (step) => {
  pending += step;
  progress.hidden = pending === 0;
};

/** Nodes of a part. The parser runs no script, and everything in it was escaped. */
const parsed = (html) => [...new DOMParser().parseFromString(html, "text/html").body.childNodes];

/** Put an error where the part would have been. */
const complain = (target, message) => {
  const line = document.createElement("p");
  line.className = "notice bad";
  line.setAttribute("role", "alert");
  line.textContent = message;
  target.replaceChildren(line);
};

/** The message of an error response. */
export const reason = async (response) => {
  try {
    const problem = await response.json();
    return problem.detail || problem.title;
  } catch {
    return `The server answered ${response.status}.`;
  }
};

/**
 * Load parts into elements, one request each; a newer request drops the older.
 * Resolves to whether the part is there.
 */
export const loader = (target) => {
  let running = null;
  return async (url, options = {}) => {
    running?.abort();
    const mine = (running = new AbortController());
    target.setAttribute("aria-busy", "true");
    busy(1);
    try {
      const response = await fetch(url, { ...options, signal: mine.signal });
      if (!response.ok) {
        complain(target, await reason(response));
        return false;
      }
      const html = await response.text();
      if (mine !== running) return false;
      target.replaceChildren(...parsed(html));
      return true;
    } catch (error) {
      if (error.name !== "AbortError") complain(target, "The server does not answer. Is it still running?");
      return false;
    } finally {
      busy(-1);
      if (mine === running) target.removeAttribute("aria-busy");
    }
  };
};

/** Call something once the typing pauses. */
export const pause = (action, milliseconds) => {
  let timer = 0;
  return (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => action(...values), milliseconds);
  };
};

/** Name the tab after what the page shows, as the server does. */
export const rename = (...parts) => {
  document.title = [...parts.filter((part) => part?.trim()), "Outcrop"].join(" · ");
};

const isTyping = (element) => element.matches("input:not([type=radio], [type=range]), textarea, select");
const search = () => document.querySelector("[data-search]");

/** Move the focus through everything that can be opened. */
const step = (by) => {
  const stops = [...document.querySelectorAll("[data-step]")].filter((stop) => stop.checkVisibility());
  if (!stops.length) return false;
  const at = stops.indexOf(document.activeElement);
  if (at <= 0 && by < 0) {
    search()?.focus();
    return true;
  }
  const next = stops[Math.min(at + by, stops.length - 1)];
  next.focus({ preventScroll: true });
  next.scrollIntoView({ block: "nearest" });
  return true;
};

const views = { 1: "/", 2: "/documents", 3: "/code", 4: "/runs" };
const dialog = document.getElementById("keys");

const onKey = (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || dialog.open) return;
  const typing = isTyping(event.target);
  if (event.key === "Escape" && typing) return event.target.blur();
  if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    const inField = event.target === search() || !typing;
    const inRange = event.target.matches("[type=range], [type=radio], .graph, .pieces");
    if (inField && !inRange && step(event.key === "ArrowDown" ? 1 : -1)) event.preventDefault();
    return;
  }
  if (typing) return;
  if (event.key === "/") {
    event.preventDefault();
    const field = search();
    if (field) field.select();
    else location.href = "/";
  } else if (event.key === "?") {
    dialog.showModal();
  } else if (event.key === "c") {
    document.getElementById("copy")?.click();
  } else if (event.key === "r") {
    document.querySelector("#views a:not([aria-current])")?.click();
  } else if (views[event.key]) {
    location.href = views[event.key];
  }
};

// On a phone the filters are folded away.
const more = document.getElementById("more");
more?.addEventListener("click", () => {
  const isOpen = document.getElementById(more.getAttribute("aria-controls")).classList.toggle("open");
  more.setAttribute("aria-expanded", String(isOpen));
});

document.addEventListener("keydown", onKey);
document.getElementById("keys-open").addEventListener("click", () => dialog.showModal());
document.getElementById("theme").addEventListener("click", () => {
  const isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = isDark ? "light" : "dark";
  try {
    localStorage.setItem("outcrop-theme", root.dataset.theme);
  } catch {
    // It lasts as long as the page.
  }
});
