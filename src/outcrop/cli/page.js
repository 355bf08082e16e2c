"use strict";
{
  const chunks = JSON.parse(document.getElementById("data").textContent);
  const panel = document.getElementById("panel");
  let selected = -1;
  let isFolded = matchMedia("(max-width: 62rem)").matches; // a phone shows the text first

  /** An element; what comes from documents only ever becomes text. */
  const make = (tag, text, className) => {
    const element = document.createElement(tag);
    if (text !== undefined) element.textContent = text;
    if (className) element.className = className;
    return element;
  };

  const pairs = (rows, className) => {
    const list = make("dl", undefined, className);
    for (const [name, value] of rows) list.append(make("dt", name), make("dd", value));
    return list;
  };

  const step = (label, title, to) => {
    const button = make("button", label);
    button.type = "button";
    button.title = title;
    button.setAttribute("aria-label", title);
    button.disabled = to < 0 || to >= chunks.length;
    button.addEventListener("click", () => choose(to, true));
    return button;
  };

  const heading = (index) => {
    const chunk = chunks[index];
    const header = make("header");
    const fold = make("button", isFolded ? "▴" : "▾");
    fold.id = "fold";
    fold.type = "button";
    fold.setAttribute("aria-label", "Show or hide the details");
    fold.addEventListener("click", () => {
      isFolded = !isFolded;
      panel.classList.toggle("folded", isFolded);
      fold.textContent = isFolded ? "▴" : "▾";
    });
    header.append(
      make("h2", `Chunk ${chunk.number} of ${chunk.total}`),
      step("←", "Previous chunk (k)", index - 1),
      step("→", "Next chunk (j)", index + 1),
      fold,
    );
    return header;
  };

  const crumbs = (chunk) => {
    const line = make("p", undefined, "crumbs");
    const titles = chunk.metadata.headers;
    if (!titles.length) line.append(make("span", "before the first heading"));
    for (const title of titles) line.append(make("span", title));
    return line;
  };

  /** How full the chunk is; what is over the limit has a colour of its own. */
  const bar = (chunk) => {
    const whole = Math.max(chunk.limit, chunk.size);
    const line = make("div", undefined, "bar");
    const within = line.appendChild(make("i"));
    within.style.width = `${(100 * Math.min(chunk.limit, chunk.size)) / whole}%`;
    if (chunk.size > chunk.limit) {
      const beyond = line.appendChild(make("i"));
      beyond.style.left = within.style.width;
      beyond.style.right = "0";
    }
    return line;
  };

  const quoted = (title, text) => (text ? [make("h3", title), make("pre", text)] : []);

  const show = (index) => {
    const chunk = chunks[index];
    const { previous_content, next_content, ...rest } = chunk.metadata;
    const fields = Object.entries(rest).map(([name, value]) => [
      name,
      typeof value === "string" ? value : JSON.stringify(value),
    ]);
    const size = chunk.size.toLocaleString("en");
    const over = chunk.over ? [make("p", `Over the limit: ${chunk.over}.`, "over")] : [];
    panel.replaceChildren(
      heading(index),
      crumbs(chunk),
      pairs([
        ["document", chunk.path],
        ["lines", chunk.lines],
        ["own text", chunk.span],
        ["size", `${size} of at most ${chunk.limit.toLocaleString("en")}`],
      ]),
      bar(chunk),
      ...over,
      make("h3", "Why it starts here"),
      make("p", chunk.why),
      make("p", chunk.rule, "rule"),
      ...quoted("Repeated before its text", chunk.prefix.trimEnd()),
      ...quoted("Added after its text", chunk.suffix.trim()),
      make("h3", "Metadata"),
      pairs(fields, "fields"),
      ...quoted("Quoted from the chunk before", previous_content),
      ...quoted("Quoted from the chunk after", next_content),
    );
    panel.scrollTop = 0;
  };

  const mark = (index, isOn) => {
    document.getElementById(`c${index}`)?.classList.toggle("on", isOn);
    document.getElementById(`s${index}`)?.classList.toggle("on", isOn);
  };

  const select = (index, isScrolling) => {
    if (index < 0 || index >= chunks.length) return;
    mark(selected, false);
    selected = index;
    mark(selected, true);
    show(index);
    if (isScrolling) document.getElementById(`c${index}`).scrollIntoView({ block: "start" });
  };

  const choose = (index, isScrolling) => {
    select(index, isScrolling);
    try {
      history.replaceState(null, "", `#c${selected}`);
    } catch {
      // A sandboxed frame has no history to write to.
    }
  };

  const fromAddress = () => {
    const match = /^#c(\d+)$/.exec(location.hash);
    return match ? Number(match[1]) : -1;
  };

  document.addEventListener("click", (event) => {
    const size = event.target.closest(".sizes [id]");
    const chunk = event.target.closest(".chunk");
    if (size) choose(Number(size.id.slice(1)), true);
    else if (chunk) {
      if (event.target.closest("a")) event.preventDefault();
      choose(Number(chunk.id.slice(1)), false);
    }
  });

  const moves = { j: 1, ArrowDown: 1, ArrowRight: 1, k: -1, ArrowUp: -1, ArrowLeft: -1 };
  document.addEventListener("keydown", (event) => {
    const move = moves[event.key];
    if (!move || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    choose(Math.min(Math.max(selected + move, 0), chunks.length - 1), true);
  });

  document.getElementById("theme").addEventListener("click", () => {
    const root = document.documentElement;
    const isDark = root.style.colorScheme
      ? root.style.colorScheme === "dark"
      : matchMedia("(prefers-color-scheme: dark)").matches;
    root.style.colorScheme = isDark ? "light" : "dark";
  });

  panel.classList.toggle("folded", isFolded);
  addEventListener("hashchange", () => select(fromAddress(), false));
  if (chunks.length) {
    const asked = fromAddress();
    select(asked < 0 ? 0 : asked, asked >= 0);
  }
}
