// Receives the repository's root; returns the pages of the event formats, with samples from the golden files that tests check.
import { escapeHtml } from "../highlight.mjs"
import { codeBlock, renderMarkdown } from "../markdown.mjs"
import { FORMATS } from "./format-texts.mjs"
import { framesByKind, KIND_OF, readGolden, shortened } from "./read-golden.mjs"

const anchorOf = (kind) =>
  `frame-${kind
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")}`

const place = ({ id, event }) =>
  [
    id === null ? "no id: the reader's place does not move" : `id: ${id}`,
    ...(event === undefined ? [] : [`event: ${event}`]),
  ].join(" · ")

/** A sentence with `code` in it. */
const sentence = (text) => escapeHtml(text).replace(/`([^`]+)`/g, "<code>$1</code>")

const frameHtml = ({ kind, frame, count }, format) => {
  const anchor = anchorOf(kind)
  const text = format.kinds[kind] ?? ""
  const sample = JSON.stringify(shortened(format.golden === "session" ? frame : frame.data), null, 2)
  const meta = format.golden === "session" ? "" : `${place(frame)} · `
  const heading = `<h3 id="${anchor}"><code>${escapeHtml(kind)}</code><a class="anchor" href="#${anchor}" aria-label="Link to “${escapeHtml(kind)}”"></a></h3>`
  return `${heading}\n${text === "" ? "" : `<p>${sentence(text)}</p>\n`}<p class="frame-meta">${escapeHtml(meta)}${count} in the recording</p>\n${codeBlock(sample, "json")}`
}

const pageOf = (root, format, resolve) => {
  const frames = framesByKind(readGolden(root, format.golden), KIND_OF[format.golden])
  const intro = renderMarkdown(`# ${format.title}\n\n${format.intro}\n\n## Frames\n`, resolve)
  return {
    slug: `formats/${format.slug}`,
    title: format.title,
    html: intro.html + frames.map((frame) => frameHtml(frame, format)).join("\n"),
    headings: [...intro.headings, ...frames.map(({ kind }) => ({ depth: 3, text: kind, anchor: anchorOf(kind) }))],
    sections: [
      ...intro.sections,
      ...frames.map(({ kind }) => ({ anchor: anchorOf(kind), heading: kind, text: format.kinds[kind] ?? "" })),
    ],
  }
}

const OVERVIEW = `# Event formats

One log of a session, and a view of it for each kind of reader. The samples on these pages are frames of one recorded session
(thinking, parallel calls, an API error that is retried, todos, a question, subagents, permissions, a compaction, an interrupt). They are taken
from \`test/views/golden/\` when this site is built, and the tests hold the views to the same files. Long texts and lists are cut, which each
sample says.

| format | who reads it | route |
| --- | --- | --- |
`

const overview = (resolve) => {
  const rows = FORMATS.map(
    ({ slug, title, reader, route }) => `| [${title}](/docs/formats/${slug}) | ${reader} | ${route} |`,
  )
  const ownOr = (href) => (href.startsWith("/docs/") ? { href } : resolve(href))
  return { slug: "formats/", ...renderMarkdown(`${OVERVIEW}${rows.join("\n")}\n`, ownOr) }
}

export const formatPages = (root, resolve) => [
  overview(resolve),
  ...FORMATS.map((format) => pageOf(root, format, resolve)),
]
