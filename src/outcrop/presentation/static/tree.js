"use strict";
// The tree of sections. It sends the event outcrop-choose when a node is chosen. The page
// sends outcrop-shown when it shows a node, and outcrop-tree after it loaded another tree.
{
  // In a narrower window the tree is folded away; how narrow depends on the page.
  const narrow = matchMedia(`(max-width: ${document.currentScript.dataset.narrow ?? "80rem"})`);
  const folded = 200; // a larger tree starts with its upper levels alone
  let tree = null;
  let items = [];

  const groupOf = (item) => item.parentElement.querySelector(":scope > [role=group]");
  const parentOf = (item) =>
    item.parentElement.parentElement.closest("li")?.querySelector(":scope > [role=treeitem]");
  const isOpen = (item) => item.getAttribute("aria-expanded") === "true";
  const isVisible = (item) => {
    for (let above = parentOf(item); above; above = parentOf(above)) if (!isOpen(above)) return false;
    return true;
  };

  const fold = (item, isOpening) => {
    const group = groupOf(item);
    if (!group) return;
    item.setAttribute("aria-expanded", String(isOpening));
    group.hidden = !isOpening;
  };

  /** One item of the tree is reached by Tab, the arrow keys lead to the others. */
  const aim = (item) => {
    for (const other of tree.querySelectorAll("[tabindex='0']")) other.tabIndex = -1;
    item.tabIndex = 0;
  };

  const focus = (item) => {
    if (!item) return;
    aim(item);
    item.focus();
  };

  const beside = (item, step) => {
    let at = items.indexOf(item) + step;
    while (items[at] && !isVisible(items[at])) at += step;
    return items[at];
  };

  const open = (item) => {
    aim(item);
    document.dispatchEvent(new CustomEvent("outcrop-choose", { detail: Number(item.id.slice(1)) }));
    if (narrow.matches) tree.open = false;
  };

  const right = (item) => {
    if (!groupOf(item)) return;
    if (isOpen(item)) focus(beside(item, 1));
    else fold(item, true);
  };

  const left = (item) => {
    if (groupOf(item) && isOpen(item)) fold(item, false);
    else focus(parentOf(item));
  };

  const keys = {
    ArrowDown: (item) => focus(beside(item, 1)),
    ArrowUp: (item) => focus(beside(item, -1)),
    ArrowRight: right,
    ArrowLeft: left,
    Home: () => focus(items[0]),
    End: () => focus(items.findLast(isVisible)),
    Enter: open,
    " ": open,
  };

  const onKey = (event) => {
    const item = event.target.closest("[role=treeitem]");
    const act = keys[event.key];
    if (!item || !act || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    event.stopPropagation();
    act(item);
  };

  const onClick = (event) => {
    const item = event.target.closest("[role=treeitem]");
    if (!item) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.target.closest(".fold")) fold(item, !isOpen(item));
    else open(item);
  };

  /** Show which node is selected, with everything above it open. */
  const onShown = (event) => {
    if (!tree) return;
    const item = items[event.detail];
    for (const other of tree.querySelectorAll("[aria-current]")) other.removeAttribute("aria-current");
    if (!item) return;
    item.setAttribute("aria-current", "true");
    for (let above = parentOf(item); above; above = parentOf(above)) fold(above, true);
    if (!tree.contains(document.activeElement)) aim(item);
    const list = tree.querySelector("[role=tree]");
    const [top, bottom] = [item.offsetTop, item.offsetTop + item.offsetHeight];
    if (top < list.scrollTop) list.scrollTop = top;
    else if (bottom > list.scrollTop + list.clientHeight) list.scrollTop = bottom - list.clientHeight;
  };

  const onShortcut = (event) => {
    if (!tree || event.key !== "t" || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.target.matches("input, textarea, select")) return;
    tree.open = true;
    focus(tree.querySelector("[aria-current]") ?? items[0]);
  };

  const setUp = () => {
    tree = document.getElementById("tree");
    items = tree ? [...tree.querySelectorAll("[role=treeitem]")] : [];
    if (!tree) return;
    for (const item of items) {
      item.tabIndex = -1;
      if (items.length > folded && Number(item.getAttribute("aria-level")) > 2) fold(item, false);
    }
    items[0].tabIndex = 0;
    tree.open = !narrow.matches;
    tree.addEventListener("keydown", onKey);
    tree.addEventListener("click", onClick);
  };

  narrow.addEventListener("change", () => {
    if (tree) tree.open = !narrow.matches;
  });
  document.addEventListener("outcrop-tree", setUp);
  document.addEventListener("outcrop-shown", onShown);
  document.addEventListener("keydown", onShortcut);
  setUp();
}
