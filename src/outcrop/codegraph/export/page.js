"use strict";
// Files are discs on a spiral, definitions dots inside them; edges of the chosen
// definition are drawn over the rest. All is laid out once, so panning stays smooth.

const COLORS = {
  PACKAGE: "#8d99ae", MODULE: "#8d99ae", CLASS: "#3a7ca5", INTERFACE: "#5e9c76",
  ENUM: "#9c6ade", METHOD: "#d08c34", FUNCTION: "#c8553d", FIELD: "#a8a29e",
  ENDPOINT: "#d6336c", EXTERNAL: "#777777",
};
const GOLDEN = Math.PI * (3 - Math.sqrt(5));
const SHOWN_AT_ONCE = 30000;

function start() {
  const data = JSON.parse(document.getElementById("data").textContent);
  const canvas = document.getElementById("graph");
  const context = canvas.getContext("2d");
  const nodes = data.nodes.map(([name, kind, file, line, signature], index) =>
    ({ index, name, kind, file, line, signature, x: 0, y: 0, out: [], into: [] }));
  const edges = data.edges.map(([from, to, kind, how]) => ({ from, to, kind, how }));
  for (const edge of edges) {
    nodes[edge.from].out.push(edge);
    nodes[edge.to].into.push(edge);
  }
  const discs = layOut(nodes);
  const shown = new Set(["CALLS"]);
  let outside = false;
  const view = { x: 0, y: 0, scale: 1 };
  let chosen = null;

  function color(name) {
    return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  }

  function draw() {
    const ratio = window.devicePixelRatio || 1;
    canvas.width = innerWidth * ratio;
    canvas.height = innerHeight * ratio;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, innerWidth, innerHeight);
    context.translate(view.x, view.y);
    context.scale(view.scale, view.scale);
    const ink = color("--ink"), quiet = color("--quiet"), line = color("--line");
    context.lineWidth = 1 / view.scale;
    context.strokeStyle = line;
    for (const disc of discs) {
      if (disc.outside && !outside) continue;
      context.beginPath();
      context.arc(disc.x, disc.y, disc.radius, 0, 7);
      context.stroke();
    }
    drawEdges(line);
    const size = Math.max(3, 1.2 / view.scale);
    for (const node of nodes) {
      if (!visible(node)) continue;
      context.fillStyle = COLORS[node.kind] || quiet;
      context.beginPath();
      context.arc(node.x, node.y, node === chosen ? size * 2 : size, 0, 7);
      context.fill();
    }
    drawNames(ink, quiet);
  }

  function drawn(edge) {
    return shown.has(edge.kind) && (outside || nodes[edge.to].kind !== "EXTERNAL");
  }

  function visible(node) {
    if (node.kind === "EXTERNAL" && !outside && node !== chosen) return false;
    const x = node.x * view.scale + view.x, y = node.y * view.scale + view.y;
    return x > -50 && y > -50 && x < innerWidth + 50 && y < innerHeight + 50;
  }

  function drawEdges(line) {
    const few = edges.length <= SHOWN_AT_ONCE;
    context.globalAlpha = chosen ? 0.15 : 0.5;
    context.strokeStyle = line;
    if (few) for (const edge of edges) if (drawn(edge)) curve(edge);
    context.globalAlpha = 1;
    if (!chosen) return;
    context.strokeStyle = color("--mark");
    for (const edge of [...chosen.out, ...chosen.into]) {
      if (drawn(edge)) curve(edge);
    }
  }

  function curve(edge) {
    const from = nodes[edge.from], to = nodes[edge.to];
    const bend = 0.15;
    const x = (from.x + to.x) / 2 - (to.y - from.y) * bend;
    const y = (from.y + to.y) / 2 + (to.x - from.x) * bend;
    const dash = { exact: [], flow: [6, 4], heuristic: [2, 4] }[edge.how] || [];
    context.setLineDash(dash.map((part) => part / view.scale));
    context.beginPath();
    context.moveTo(from.x, from.y);
    context.quadraticCurveTo(x, y, to.x, to.y);
    context.stroke();
    context.setLineDash([]);
  }

  function drawNames(ink, quiet) {
    context.fillStyle = quiet;
    context.textAlign = "center";
    context.font = `${12 / view.scale}px system-ui, sans-serif`;
    for (const disc of discs) {
      if (disc.radius * view.scale > 24 && (outside || !disc.outside)) {
        context.fillText(disc.name, disc.x, disc.y - disc.radius - 4 / view.scale);
      }
    }
    context.fillStyle = ink;
    context.textAlign = "left";
    const near = chosen ? new Set([chosen, ...chosen.out.map((e) => nodes[e.to]),
      ...chosen.into.map((e) => nodes[e.from])]) : new Set();
    for (const node of nodes) {
      if ((view.scale > 1.6 || near.has(node)) && visible(node)) {
        const short = node.name.slice(node.name.search(/[^./:\\]*$/));
        context.fillText(short, node.x + 6 / view.scale, node.y + 4 / view.scale);
      }
    }
  }

  function fit() {
    const reach = Math.max(...discs.filter((d) => !d.outside).map((d) => Math.hypot(d.x, d.y) + d.radius), 100);
    view.scale = Math.min(innerWidth, innerHeight) / (2.2 * reach);
    view.x = innerWidth / 2;
    view.y = innerHeight / 2;
    draw();
  }

  function choose(node, move) {
    chosen = node;
    if (node && move) {
      view.scale = Math.max(view.scale, 1.7);
      view.x = innerWidth / 2 - node.x * view.scale;
      view.y = innerHeight / 2 - node.y * view.scale;
    }
    describe(node);
    draw();
  }

  function add(parent, tag, text) {
    const element = document.createElement(tag);
    element.textContent = text;
    parent.append(element);
    return element;
  }

  function describe(node) {
    const box = document.getElementById("detail");
    box.hidden = !node;
    box.textContent = "";
    if (!node) return;
    add(box, "h1", node.name);
    add(box, "p", node.file ? `${node.kind}, ${node.file}:${node.line}` : node.kind);
    if (node.signature) add(box, "pre", node.signature);
    list(box, "from here", node.out, (edge) => nodes[edge.to]);
    list(box, "to here", node.into, (edge) => nodes[edge.from]);
  }

  function list(box, title, found, end) {
    const kept = found.filter((edge) => edge.kind !== "CONTAINS");
    if (!kept.length) return;
    add(box, "h2", `${title} (${kept.length})`);
    for (const edge of kept.slice(0, 200)) {
      const button = add(box, "button", `${edge.kind} ${end(edge).name} (${edge.how})`);
      button.onclick = () => choose(end(edge), true);
    }
  }

  const fieldset = document.getElementById("kinds");
  function option(text, checked, change) {
    const label = add(fieldset, "label", "");
    const input = document.createElement("input");
    input.type = "checkbox";
    input.checked = checked;
    input.onchange = () => { change(input.checked); draw(); };
    label.append(input, text);
  }
  for (const kind of [...new Set(edges.map((edge) => edge.kind))].sort()) {
    option(kind, shown.has(kind), (on) => (on ? shown.add(kind) : shown.delete(kind)));
  }
  option("outside the project", false, (on) => { outside = on; });

  const query = document.getElementById("query");
  query.oninput = () => {
    const found = document.getElementById("found");
    found.textContent = "";
    const text = query.value.trim().toLowerCase();
    if (!text) return;
    const hits = nodes.filter((node) => node.name.toLowerCase().includes(text));
    hits.sort((a, b) => a.name.length - b.name.length);
    for (const node of hits.slice(0, 30)) {
      const button = add(add(found, "li", ""), "button", node.name);
      button.type = "button";
      button.onclick = () => { found.textContent = ""; choose(node, true); };
    }
  };
  document.getElementById("search").onsubmit = (event) => {
    event.preventDefault();
    document.querySelector("#found button")?.click();
  };

  let dragged = null;
  canvas.onpointerdown = (event) => {
    dragged = { x: event.clientX, y: event.clientY, moved: false };
    canvas.setPointerCapture(event.pointerId);
  };
  canvas.onpointermove = (event) => {
    if (!dragged) return;
    const dx = event.clientX - dragged.x, dy = event.clientY - dragged.y;
    dragged.moved ||= Math.hypot(dx, dy) > 3;
    if (!dragged.moved) return;
    view.x += dx;
    view.y += dy;
    dragged.x = event.clientX;
    dragged.y = event.clientY;
    draw();
  };
  canvas.onpointerup = (event) => {
    if (dragged && !dragged.moved) choose(nearest(event), false);
    dragged = null;
  };

  function nearest(event) {
    const x = (event.clientX - view.x) / view.scale, y = (event.clientY - view.y) / view.scale;
    let best = null, least = 14 / view.scale;
    for (const node of nodes) {
      const distance = Math.hypot(node.x - x, node.y - y);
      if (distance < least) { best = node; least = distance; }
    }
    return best;
  }

  function zoom(factor, x, y) {
    const scale = Math.min(20, Math.max(0.005, view.scale * factor));
    view.x = x - (x - view.x) * (scale / view.scale);
    view.y = y - (y - view.y) * (scale / view.scale);
    view.scale = scale;
    draw();
  }
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoom(Math.exp(-event.deltaY / 400), event.clientX, event.clientY);
  }, { passive: false });
  canvas.onkeydown = (event) => {
    const step = 60;
    const moves = { ArrowLeft: [step, 0], ArrowRight: [-step, 0], ArrowUp: [0, step], ArrowDown: [0, -step] };
    if (moves[event.key]) {
      view.x += moves[event.key][0];
      view.y += moves[event.key][1];
      draw();
    } else if (event.key === "+" || event.key === "-") {
      zoom(event.key === "+" ? 1.25 : 0.8, innerWidth / 2, innerHeight / 2);
    } else if (event.key === "0") fit();
    else if (event.key === "Escape") choose(null, false);
  };
  addEventListener("resize", draw);
  fit();
}

function layOut(nodes) {
  const groups = new Map();
  for (const node of nodes) {
    const key = node.file || (node.kind === "EXTERNAL" ? "outside" : "packages");
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(node);
  }
  const discs = [];
  const last = (name) => (name === "outside" ? "\uffff" : name);
  const ordered = [...groups].sort((a, b) => (last(a[0]) < last(b[0]) ? -1 : 1));
  for (const [name, members] of ordered) {
    discs.push({ name, members, outside: name === "outside", radius: 14 * Math.sqrt(members.length) + 10, x: 0, y: 0 });
  }
  let area = 0;
  discs.forEach((disc, position) => {
    area += disc.radius * disc.radius * 3.6;
    const distance = position ? Math.sqrt(area) : 0;
    disc.x = distance * Math.cos(position * GOLDEN);
    disc.y = distance * Math.sin(position * GOLDEN);
    disc.members.forEach((node, index) => {
      const reach = 14 * Math.sqrt(index);
      node.x = disc.x + reach * Math.cos(index * GOLDEN);
      node.y = disc.y + reach * Math.sin(index * GOLDEN);
    });
  });
  return discs;
}
