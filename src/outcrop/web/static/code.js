// The Code view: symbols as one types, and a graph to pan and zoom.
import { loader, pause, rename } from "./page.js";

const field = document.getElementById("symbol");
const symbols = loader(document.getElementById("symbols"));
const isSymbol = Boolean(document.querySelector(".symbol"));

field.addEventListener(
  "input",
  pause(() => {
    const query = field.value.trim() ? `?${new URLSearchParams({ q: field.value })}` : "";
    if (!isSymbol) {
      history.replaceState(null, "", `/code${query}`);
      rename(field.value, "Code");
    }
    symbols(`/parts/symbols${query}`);
  }, 140),
);
field.addEventListener("keydown", (event) => {
  const first = document.querySelector("#symbols [data-step]");
  if (event.key === "Enter" && first) {
    event.preventDefault();
    first.click();
  }
});

const graph = document.getElementById("graph");
if (graph) {
  // One drawing is wide and one is tall; the style shows the one that fits.
  const drawings = [...graph.querySelectorAll("svg[data-view]")];
  const drawing = drawings.find((one) => one.clientWidth) ?? drawings[0];
  const whole = drawing.dataset.view.split(" ").map(Number);
  let [x, y, width, height] = whole;
  const fingers = new Map();
  let hasMoved = false;

  const show = () => drawing.setAttribute("viewBox", `${x} ${y} ${width} ${height}`);
  const scale = () => {
    const matrix = drawing.getScreenCTM();
    return matrix ? matrix.a : 1;
  };
  const zoom = (factor, at) => {
    const next = Math.min(Math.max(width * factor, whole[2] / 12), whole[2] * 4);
    const real = next / width;
    const [cx, cy] = at ?? [x + width / 2, y + height / 2];
    x = cx - (cx - x) * real;
    y = cy - (cy - y) * real;
    width = next;
    height *= real;
    show();
  };
  const fit = () => {
    [x, y, width, height] = whole;
    show();
  };
  const point = (event) => {
    const matrix = drawing.getScreenCTM().inverse();
    const found = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix);
    return [found.x, found.y];
  };
  const distance = () => {
    const [a, b] = [...fingers.values()];
    return Math.hypot(a.x - b.x, a.y - b.y);
  };

  drawing.addEventListener("pointerdown", (event) => {
    fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    hasMoved = false;
  });
  drawing.addEventListener("pointermove", (event) => {
    const from = fingers.get(event.pointerId);
    if (!from) return;
    const dx = event.clientX - from.x;
    const dy = event.clientY - from.y;
    if (!hasMoved && Math.hypot(dx, dy) < 4) return;
    if (!hasMoved) drawing.setPointerCapture(event.pointerId);
    hasMoved = true;
    const before = fingers.size === 2 ? distance() : 0;
    fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (fingers.size === 2) zoom(before / Math.max(distance(), 1));
    else {
      x -= dx / scale();
      y -= dy / scale();
      show();
    }
  });
  for (const name of ["pointerup", "pointercancel"]) {
    drawing.addEventListener(name, (event) => fingers.delete(event.pointerId));
  }
  drawing.addEventListener("click", (event) => {
    if (hasMoved) event.preventDefault();
  });
  drawing.addEventListener("dragstart", (event) => event.preventDefault());
  drawing.addEventListener(
    "wheel",
    (event) => {
      // The page scrolls over a graph that is not focused.
      if (!event.ctrlKey && !graph.contains(document.activeElement)) return;
      event.preventDefault();
      zoom(event.deltaY > 0 ? 1.12 : 1 / 1.12, point(event));
    },
    { passive: false },
  );
  graph.addEventListener("click", (event) => {
    const wanted = event.target.dataset.zoom;
    if (wanted === "fit") fit();
    else if (wanted) zoom(wanted === "in" ? 1 / 1.3 : 1.3);
  });
  document.addEventListener("keydown", (event) => {
    if (event.target.matches("input, textarea") || event.ctrlKey || event.metaKey) return;
    if (event.key === "+" || event.key === "=") zoom(1 / 1.3);
    else if (event.key === "-") zoom(1.3);
    else if (event.key === "0") fit();
    else if (event.target === graph && event.key.startsWith("Arrow")) {
      const by = width / 12;
      x += { ArrowLeft: -by, ArrowRight: by }[event.key] ?? 0;
      y += { ArrowUp: -by, ArrowDown: by }[event.key] ?? 0;
      event.preventDefault();
      show();
    }
  });
}
