// Receives one page and its position on the site; returns the whole HTML document.
// Invariant: no inline script or style, and no resource of another host.
import { escapeHtml } from "./highlight.mjs"
import { shortTitle } from "./links.mjs"

const link = ({ slug, title }, current) =>
  `<li><a href="/docs/${escapeHtml(slug)}"${slug === current ? ' aria-current="page"' : ""}>${escapeHtml(shortTitle(title))}</a></li>`

const group = ({ title, pages }, current) => {
  // A group with one page is a link with the group's name.
  if (pages.length === 1) return `<ul class="single">${link({ ...pages[0], title }, current)}</ul>`
  const open = pages.some(({ slug }) => slug === current) ? " open" : ""
  const items = pages.map((page) => link(page, current)).join("")
  return `<details${open}><summary>${escapeHtml(title)}</summary><ul>${items}</ul></details>`
}

const contents = (headings) => {
  const shown = headings.filter(({ depth }) => depth === 2 || depth === 3)
  if (shown.length < 2) return ""
  const items = shown
    .map(
      ({ depth, text, anchor }) =>
        `<li class="depth-${depth}"><a href="#${escapeHtml(anchor)}">${escapeHtml(text)}</a></li>`,
    )
    .join("")
  return `<nav class="contents" aria-label="On this page"><details open><summary>On this page</summary><ul>${items}</ul></details></nav>`
}

const neighbour = (page, rel, label) =>
  page === undefined
    ? "<span></span>"
    : `<a rel="${rel}" href="/docs/${escapeHtml(page.slug)}"><small>${label}</small>${escapeHtml(shortTitle(page.title))}</a>`

/**
 * @param {{ slug: string, title: string, group?: string, html: string, headings: Array<object>, head?: string }} page
 * @param {{ groups: Array<object>, previous?: object, next?: object }} place
 */
export const layout = (page, { groups, previous, next }) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(page.slug === "" ? "Perch docs" : `${page.title} · Perch docs`)}</title>
<meta name="description" content="${escapeHtml(page.description ?? "")}">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="/docs/assets/icon.svg" type="image/svg+xml">
<script src="/docs/assets/theme.js"></script>
<link rel="stylesheet" href="/docs/assets/docs.css">
<link rel="stylesheet" href="/docs/assets/code.css">
${page.head ?? ""}<script type="module" src="/docs/assets/docs.js"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<button type="button" class="menu" aria-expanded="false" aria-controls="navigation">Menu</button>
<a class="home" href="/docs/">Perch <span>docs</span></a>
<search class="search" role="search">
<input id="search-field" type="search" placeholder="Search (press /)" aria-label="Search the docs" autocomplete="off" spellcheck="false" role="combobox" aria-expanded="false" aria-controls="results" aria-autocomplete="list">
<div class="panel" hidden><p class="status" role="status"></p><ul id="results" role="listbox" aria-label="Results" tabindex="0"></ul></div>
</search>
<a class="out" href="/">Console</a>
<button type="button" class="theme">Theme</button>
</header>
<div class="frame">
<nav id="navigation" class="navigation" aria-label="Guides">${groups.map((one) => group(one, page.slug)).join("\n")}</nav>
<main id="content" tabindex="-1">
${page.group === undefined ? "" : `<p class="group">${escapeHtml(page.group)}</p>\n`}<article>
${page.html}</article>
<nav class="neighbours" aria-label="Previous and next">${neighbour(previous, "prev", "Previous")}${neighbour(next, "next", "Next")}</nav>
</main>
${contents(page.headings)}
</div>
</body>
</html>
`
