// Lints the OpenAPI document with Redocly's recommended rules and Spectral's `spectral:oas`; any finding fails.
// Invariant: nothing leaves this machine: telemetry and update checks are off, and both read one local file.
import { spawn } from "node:child_process"
import fs from "node:fs"
import os from "node:os"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { writeDocument } from "./document.mjs"

const HERE = path.dirname(fileURLToPath(import.meta.url))
const ROOT = path.resolve(HERE, "../..")
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "perch-openapi-"))
const file = writeDocument(path.join(folder, "openapi.json"))

const LINTERS = [
  ["@redocly/cli/bin/cli.js", "lint", file, "--config", path.join(HERE, "redocly.yaml"), "--max-problems", "50"],
  [
    "@stoplight/spectral-cli/dist/index.js",
    "lint",
    file,
    "--ruleset",
    path.join(HERE, "spectral.yaml"),
    "--fail-severity",
    "hint",
  ],
]

const env = {
  ...process.env,
  CI: "true",
  NO_COLOR: "1",
  REDOCLY_TELEMETRY: "off",
  REDOCLY_SUPPRESS_UPDATE_NOTICE: "true",
  SCARF_ANALYTICS: "false",
}

const run = ([script, ...args]) =>
  new Promise((resolve) => {
    let printed = ""
    const child = spawn(process.execPath, [path.join(ROOT, "node_modules", script), ...args], { cwd: ROOT, env })
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (printed += chunk))
    child.on("error", (error) => resolve({ failed: true, printed: String(error) }))
    // Redocly exits with 0 if it has only warnings.
    child.on("close", (code) => resolve({ failed: code !== 0 || /You have \d+ warning/.test(printed), printed }))
  })

const results = await Promise.all(LINTERS.map(run))
fs.rmSync(folder, { recursive: true, force: true })
for (const { failed, printed } of results) if (failed) console.error(printed)
if (results.some(({ failed }) => failed)) process.exit(1)
console.log("openapi: redocly and spectral find nothing")
