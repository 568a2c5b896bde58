// The same choice as the console's (src/console/app/theme.ts). Runs before the page is painted, so that a chosen theme does not flash in the other one.
try {
  const theme = localStorage.getItem("perch.theme")
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme
} catch {
  // Storage is unavailable: the system's theme is used.
}
