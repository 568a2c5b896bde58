// The page /docs/api: Swagger UI over /openapi.json, both served by this Worker. docs/decisions/api/api-reference.md says why.
import fs from "node:fs"
import path from "node:path"

const FILES = ["swagger-ui-bundle.js", "swagger-ui.css"]

export const apiPage = () => ({
  slug: "api",
  title: "API reference",
  wide: true,
  description: "Every route of Perch with its parameters, bodies, answers and errors.",
  head: `<link rel="stylesheet" href="/docs/assets/swagger-ui.css">
<link rel="stylesheet" href="/docs/assets/api.css">
<script src="/docs/assets/swagger-ui-bundle.js" defer></script>
<script type="module" src="/docs/assets/api.js"></script>
`,
  html: `<h1 id="api-reference">API reference</h1>
<p>Every route, made from <a href="/openapi.json">/openapi.json</a>. Below “Authorize” you can enter a key; it stays in this page's
memory, and “Try it out” sends requests to this server. <a href="/docs/openapi">OpenAPI and generated clients</a> says how to generate a client.</p>
<div id="reference" aria-busy="true"><p>The reference is loading.</p></div>
<noscript><p>The reference needs JavaScript. <a href="/openapi.json">/openapi.json</a> has the same content.</p></noscript>
`,
  headings: [],
  sections: [
    { anchor: "", heading: "", text: "Every route with its parameters, bodies, answers and errors, from openapi.json" },
  ],
})

export const copyRenderer = (root, assets) => {
  const folder = path.join(root, "node_modules/swagger-ui-dist")
  for (const name of FILES) fs.copyFileSync(path.join(folder, name), path.join(assets, name))
}
