// Scrolling to an element of a long page.

const FRAMES = 45;
const STOPS = ["wheel", "touchstart", "pointerdown", "keydown"];
let wanted = 0;

/**
 * Scroll to an element and stay there. What is far away has no size before it is drawn, so
 * the element moves once its surroundings are; it is scrolled to again until that settles,
 * unless the user moves on.
 */
export const reach = (element, block = "start") => {
  const mine = ++wanted;
  let left = FRAMES;
  const stop = () => {
    if (mine === wanted) wanted++;
  };
  // The key or click that led here has yet to end.
  setTimeout(() => {
    for (const type of STOPS) addEventListener(type, stop, { once: true, passive: true });
  });
  const step = () => {
    if (mine !== wanted || left-- === 0) return;
    element.scrollIntoView({ block, behavior: "instant" });
    requestAnimationFrame(step);
  };
  step();
};
