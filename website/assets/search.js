/* Searches the chunks of the site in the browser, by the weights that Outcrop computed.

   The index holds chunks, postings (pairs of a chunk and a BM25 weight per term) and the
   terms of each word of the site, so that no word has to be analysed here. A word that
   the site does not contain stands for the words that begin with it. */
(() => {
  "use strict";

  const MAX_HITS = 8;
  const MAX_COMPLETIONS = 12;
  const MIN_COMPLETED = 3;
  const COMPLETION_SHARE = 0.5;
  const SNIPPET = 160;
  const WORD = /[\p{L}\p{N}_]+(?:[.'’][\p{L}\p{N}_]+)*/gu;
  const here = document.currentScript.src;
  let loading = null;

  const load = () => (loading ??= fetch(new URL("search-index.json", here)).then((r) => r.json()));

  const wordsOf = (text) => (text.toLowerCase().match(WORD) ?? []).slice(0, 32);

  function termsOf(index, word, isLast) {
    const found = new Map();
    for (const term of index.words[word] ?? []) found.set(term, 1);
    if (word in index.words && !(isLast && word.length >= MIN_COMPLETED)) return found;
    const longer = Object.keys(index.words).filter((known) => known.startsWith(word) && known !== word);
    for (const known of longer.slice(0, MAX_COMPLETIONS)) {
      for (const term of index.words[known]) if (!found.has(term)) found.set(term, COMPLETION_SHARE);
    }
    return found;
  }

  function search(index, query) {
    const words = wordsOf(query);
    const scores = new Map();
    words.forEach((word, place) => {
      const best = new Map(); // a word counts once in a chunk, by its best term
      for (const [term, share] of termsOf(index, word, place === words.length - 1)) {
        const postings = index.postings[term];
        for (let i = 0; i < postings.length; i += 2) {
          const weight = postings[i + 1] * share;
          if (weight > (best.get(postings[i]) ?? 0)) best.set(postings[i], weight);
        }
      }
      for (const [chunk, weight] of best) scores.set(chunk, (scores.get(chunk) ?? 0) + weight);
    });
    const ranked = [...scores].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
    const seen = new Set(); // one hit for each place
    return ranked.map(([chunk]) => index.chunks[chunk]).filter(([url]) => !seen.has(url) && seen.add(url)).slice(0, MAX_HITS);
  }

  function marked(text, words) {
    const lower = text.toLowerCase();
    const places = words.map((word) => lower.indexOf(word)).filter((place) => place >= 0);
    const start = Math.max(0, Math.min(...(places.length ? places : [0])) - 30);
    const line = document.createElement("small");
    const shown = text.slice(start, start + SNIPPET);
    let end = 0;
    for (const match of shown.matchAll(WORD)) {
      if (!words.some((word) => match[0].toLowerCase().startsWith(word))) continue;
      line.append(shown.slice(end, match.index));
      const mark = document.createElement("mark");
      mark.textContent = match[0];
      line.append(mark);
      end = match.index + match[0].length;
    }
    line.append(shown.slice(end));
    return line;
  }

  function show(list, hits, words) {
    list.replaceChildren(...hits.map(([url, title, text]) => {
      const item = document.createElement("li");
      const link = document.createElement("a");
      link.href = new URL(url, new URL("../", here)).href;
      link.append(title, marked(text, words));
      item.append(link);
      return item;
    }));
    if (!hits.length) list.append(Object.assign(document.createElement("li"), { textContent: "Nothing found" }));
    list.hidden = false;
  }

  function start(box) {
    const [field, list] = [box.querySelector("input"), box.querySelector("ol")];
    let latest = 0;
    const update = async () => {
      const turn = ++latest;
      const words = wordsOf(field.value);
      if (!words.length) { list.hidden = true; return; }
      const index = await load();
      const telling = words.filter((word) => index.words[word]?.length !== 0); // no stop words
      if (turn === latest) show(list, search(index, field.value), telling);
    };
    const move = (step) => {
      const links = [...list.querySelectorAll("a")];
      const place = links.findIndex((link) => link.getAttribute("aria-selected") === "true");
      links[place]?.removeAttribute("aria-selected");
      const next = links[(place + step + links.length) % links.length];
      next?.setAttribute("aria-selected", "true");
      next?.scrollIntoView({ block: "nearest" });
    };
    field.addEventListener("focus", load, { once: true });
    field.addEventListener("input", update);
    field.addEventListener("keydown", (event) => {
      if (event.key === "ArrowDown" || event.key === "ArrowUp") {
        move(event.key === "ArrowDown" ? 1 : -1);
        event.preventDefault();
      } else if (event.key === "Enter") {
        (list.querySelector('[aria-selected="true"]') ?? list.querySelector("a"))?.click();
      } else if (event.key === "Escape") {
        list.hidden = true;
      }
    });
    document.addEventListener("click", (event) => { if (!box.contains(event.target)) list.hidden = true; });
    document.addEventListener("keydown", (event) => {
      if (event.key !== "/" || /input|textarea|select/i.test(event.target.tagName)) return;
      event.preventDefault();
      field.focus();
    });
  }

  document.querySelectorAll(".outcrop-search").forEach(start);
})();
