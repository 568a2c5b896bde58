// Writes TypeScript types of the API: `node_modules/.bin/node scripts/openapi/typescript.mjs [FILE]`, by default to dist/openapi.ts.
// openapi-typescript needs the JavaScript API of TypeScript 5, which the TypeScript of this project no longer has: it is
// given the one inside @ts-morph/common.
import fs from "node:fs"
import { registerHooks } from "node:module"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { openApiDocument } from "../../src/http/openapi/document.ts"

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..")
const TYPESCRIPT = `data:text/javascript,${encodeURIComponent(
  `import common from ${JSON.stringify(import.meta.resolve("@ts-morph/common"))}\nexport default common.ts`,
)}`

registerHooks({
  resolve: (name, context, next) =>
    name === "typescript" ? { url: TYPESCRIPT, shortCircuit: true } : next(name, context),
})

const { astToString, default: generate } = await import("openapi-typescript")
const file = path.resolve(process.argv[2] ?? path.join(ROOT, "dist/openapi.ts"))
const types = await generate(JSON.parse(JSON.stringify(openApiDocument())), { silent: true })
fs.mkdirSync(path.dirname(file), { recursive: true })
fs.writeFileSync(file, astToString(types))
console.log(file)
