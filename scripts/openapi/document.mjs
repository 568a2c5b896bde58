// Generates the OpenAPI document from the route table: `node_modules/.bin/node scripts/openapi/document.mjs [FILE]`, by default
// public/openapi.json, which the Worker serves. A test compares the two; one line per component keeps diffs readable.
import fs from "node:fs"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { openApiText } from "../../src/http/openapi/document.ts"

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..")

export const writeDocument = (file) => {
  fs.mkdirSync(path.dirname(file), { recursive: true })
  // Replaced atomically: a local server that is serving the file would crash if it became shorter.
  fs.writeFileSync(`${file}.new`, openApiText())
  fs.renameSync(`${file}.new`, file)
  return file
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.log(writeDocument(path.resolve(process.argv[2] ?? path.join(ROOT, "public/openapi.json"))))
}
