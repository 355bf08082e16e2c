"use strict";
// Before anything is drawn, so that a dark page never flashes light.
try {
  const theme = localStorage.getItem("outcrop-theme");
  if (theme === "dark" || theme === "light") document.documentElement.dataset.theme = theme;
} catch {
  // Without storage the system decides.
}
