"use strict";
{
  const { chunks, nodes } = JSON.parse(document.getElementById("data").textContent);
  const panel = document.getElementById("panel");
  let selected = -1; // the chunk that the keys move on from
  let marked = []; // the lines of the selected section
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

  const heading = (title, ...buttons) => {
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
    header.append(make("h2", title), ...buttons, fold);
    return header;
  };

  const crumbs = (titles, otherwise) => {
    const line = make("p", undefined, "crumbs");
    for (const title of titles.length ? titles : [otherwise]) {
      line.append(make("span", title || "(untitled)"));
    }
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

  const fields = (metadata) =>
    pairs(
      Object.entries(metadata).map(([name, value]) => [
        name,
        typeof value === "string" ? value : JSON.stringify(value),
      ]),
      "fields",
    );

  const show = (index) => {
    const chunk = chunks[index];
    const { previous_content, next_content, ...rest } = chunk.metadata;
    const size = chunk.size.toLocaleString("en");
    const over = chunk.over ? [make("p", `Over the limit: ${chunk.over}.`, "over")] : [];
    panel.replaceChildren(
      heading(
        `Chunk ${chunk.number} of ${chunk.total}`,
        step("←", "Previous chunk (k)", index - 1),
        step("→", "Next chunk (j)", index + 1),
      ),
      crumbs(chunk.metadata.headers, "before the first heading"),
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
      fields(rest),
      ...quoted("Quoted from the chunk before", previous_content),
      ...quoted("Quoted from the chunk after", next_content),
    );
    panel.scrollTop = 0;
  };

  const showSection = (node) => {
    const own = node.content ? [make("h3", "Text of the node"), make("pre", node.content)] : [];
    const metadata = Object.keys(node.metadata).length
      ? [make("h3", "Metadata"), fields(node.metadata)]
      : [];
    panel.replaceChildren(
      heading(node.depth ? "Section" : "Document"),
      crumbs(node.headers, node.title),
      pairs([
        ["document", node.path],
        ["lines", `${node.from} to ${node.to}`],
        ["size", `${node.size.toLocaleString("en")} characters`],
      ]),
      ...own,
      ...metadata,
    );
    panel.scrollTop = 0;
  };

  /** The lines of a document from one number to another; they stand in order. */
  const linesOf = (article, from, to) => {
    const lines = document.getElementById(article).querySelectorAll(".l[data-n]");
    let low = 0;
    for (let high = lines.length; low < high; ) {
      const middle = (low + high) >> 1;
      if (Number(lines[middle].dataset.n) < from) low = middle + 1;
      else high = middle;
    }
    const found = [];
    while (low < lines.length && Number(lines[low].dataset.n) <= to) found.push(lines[low++]);
    return found;
  };

  const markLines = (lines) => {
    for (const line of marked) line.classList.remove("in");
    marked = lines;
    for (const line of marked) line.classList.add("in");
  };

  /** The first line of a chunk is shown with the reason above it. */
  const scrollToLine = (line) => {
    const chunk = line?.closest(".chunk");
    const isFirst = chunk?.querySelector(".l[data-n]") === line;
    (isFirst ? chunk : line)?.scrollIntoView({ block: "start" });
  };

  const mark = (index, isOn) => {
    document.getElementById(`c${index}`)?.classList.toggle("on", isOn);
    document.getElementById(`s${index}`)?.classList.toggle("on", isOn);
  };

  /** Tell the tree which of its nodes is shown. */
  const tell = (node) => document.dispatchEvent(new CustomEvent("outcrop-shown", { detail: node }));

  const select = (index, isScrolling) => {
    if (index < 0 || index >= chunks.length) return;
    mark(selected, false);
    markLines([]);
    selected = index;
    mark(selected, true);
    show(index);
    tell(chunks[index].node);
    if (isScrolling) document.getElementById(`c${index}`).scrollIntoView({ block: "start" });
  };

  const selectNode = (index, isScrolling) => {
    const node = nodes[index];
    if (!node) return;
    if (node.isLeaf) {
      select(node.chunk, isScrolling);
      return;
    }
    mark(selected, false);
    selected = node.chunk;
    markLines(linesOf(node.article, node.from, node.to));
    showSection(node);
    tell(index);
    if (isScrolling) scrollToLine(marked[0]);
  };

  const remember = (anchor) => {
    try {
      history.replaceState(null, "", anchor);
    } catch {
      // A sandboxed frame has no history to write to.
    }
  };

  const choose = (index, isScrolling) => {
    select(index, isScrolling);
    remember(`#c${selected}`);
  };

  const fromAddress = (isScrolling) => {
    const [, kind, number] = /^#([ct])(\d+)$/.exec(location.hash) ?? [];
    if (kind === "c") select(Number(number), isScrolling);
    if (kind === "t") selectNode(Number(number), isScrolling);
    return Boolean(kind);
  };

  document.addEventListener("click", (event) => {
    const size = event.target.closest(".chart [id]");
    const chunk = event.target.closest(".chunk");
    if (size) {
      event.preventDefault();
      choose(Number(size.id.slice(1)), true);
    } else if (chunk) {
      if (event.target.closest("a")) event.preventDefault();
      choose(Number(chunk.id.slice(1)), false);
    }
  });

  const moves = { j: 1, ArrowDown: 1, ArrowRight: 1, k: -1, ArrowUp: -1, ArrowLeft: -1 };
  document.addEventListener("keydown", (event) => {
    const move = moves[event.key];
    if (!move || event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
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
  addEventListener("hashchange", () => fromAddress(false));
  document.addEventListener("outcrop-choose", (event) => {
    selectNode(event.detail, true);
    remember(`#t${event.detail}`); // no id: the browser would go to the tree itself
  });
  // The tree's own script comes after this one and listens from then on.
  addEventListener("DOMContentLoaded", () => {
    if (!fromAddress(true)) select(0, false);
  });
}
