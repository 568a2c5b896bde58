// The page /docs/api: the list of all operations as HTML, and Swagger UI for those of one tag (`?tag=NAME`), which it takes from
// /openapi.json. docs/decisions/api/api-reference.md says why it is Swagger UI, and why one tag at a time.
import fs from "node:fs"
import path from "node:path"
import { escapeHtml } from "./highlight.mjs"

const FILES = ["swagger-ui-bundle.js", "swagger-ui.css"]
const METHODS = new Set(["get", "put", "post", "delete", "patch", "head", "options"])

const operationsOf = ({ paths }) =>
  Object.entries(paths).flatMap(([route, methods]) =>
    Object.entries(methods)
      .filter(([method]) => METHODS.has(method))
      .map(([method, operation]) => ({ method: method.toUpperCase(), route, ...operation })),
  )

const hrefOf = (tag, { operationId }) => `/docs/api?tag=${encodeURIComponent(tag)}#/${tag}/${operationId}`

const tagHtml = ({ name, description }, operations) => {
  const rows = operations.map((operation) => {
    const { method, route, summary } = operation
    const link = `<a href="${escapeHtml(hrefOf(name, operation))}">${escapeHtml(summary ?? route)}</a>`
    return `<tr><td><code>${method}</code></td><td><code>${escapeHtml(route)}</code></td><td>${link}</td></tr>`
  })
  return `<h2 id="${escapeHtml(name)}">${escapeHtml(name)}</h2>
<p>${escapeHtml(description ?? "")} <a href="/docs/api?tag=${encodeURIComponent(name)}">All of ${escapeHtml(name)} with parameters and answers</a></p>
<div class="table operations" tabindex="0" role="group" aria-label="Operations of ${escapeHtml(name)}"><table><thead><tr><th scope="col">method</th><th scope="col">route</th><th scope="col">what it does</th></tr></thead><tbody>${rows.join("\n")}</tbody></table></div>
`
}

const INTRO = `Every route, made from openapi.json`

export const apiPage = (root) => {
  const document = JSON.parse(fs.readFileSync(path.join(root, "public/openapi.json"), "utf8"))
  const operations = operationsOf(document)
  const groups = document.tags.map((tag) => [tag, operations.filter(({ tags }) => tags?.[0] === tag.name)])
  const shown = groups.filter(([, own]) => own.length > 0)
  return {
    slug: "api",
    title: "API reference",
    description: "Every route of Perch with its parameters, bodies, answers and errors.",
    head: `<link rel="stylesheet" href="/docs/assets/swagger-ui.css">
<link rel="stylesheet" href="/docs/assets/api.css">
<script type="module" src="/docs/assets/api.js"></script>
`,
    html: `<h1 id="api-reference">API reference</h1>
<p>Every route, made from <a href="/openapi.json">/openapi.json</a>. A route opens with its parameters, bodies, answers and errors; there “Authorize” takes
a key, which stays in the page's memory, and “Try it out” sends requests to this server.
<a href="/docs/openapi">OpenAPI clients</a> says how to generate a client.</p>
<div id="reference" hidden></div>
<div id="overview">
${shown.map(([tag, own]) => tagHtml(tag, own)).join("\n")}</div>
`,
    headings: shown.map(([{ name }]) => ({ depth: 2, text: name, anchor: name })),
    sections: [
      { anchor: "", heading: "", text: INTRO },
      ...shown.flatMap(([{ name }, own]) =>
        own.map((operation) => ({
          href: hrefOf(name, operation),
          anchor: "",
          heading: operation.summary ?? operation.route,
          text: `${operation.method} ${operation.route}. ${operation.description ?? ""}`,
        })),
      ),
    ],
  }
}

export const copyRenderer = (root, assets) => {
  const folder = path.join(root, "node_modules/swagger-ui-dist")
  for (const name of FILES) fs.copyFileSync(path.join(folder, name), path.join(assets, name))
}
