// Runs the official MCP conformance suite against Perch as a client, and prints one line per scenario.
//
//   node_modules/.bin/node test/bench/mcp-conformance/run.mjs FOLDER [SCENARIO…]
//
// FOLDER is where the suite was installed (`npm i @modelcontextprotocol/conformance@0.1.16`): it is no dependency of the
// project. Everything happens on loopback.
import { spawnSync } from "node:child_process"
import fs from "node:fs"
import os from "node:os"
import path from "node:path"

const [folder, ...chosen] = process.argv.slice(2)
if (folder === undefined) {
  console.error("Name the folder in which @modelcontextprotocol/conformance is installed.")
  process.exit(2)
}
const suite = path.resolve(folder, "node_modules/@modelcontextprotocol/conformance/dist/index.js")
const SCENARIOS = [
  "initialize",
  "tools_call",
  "elicitation-sep1034-client-defaults",
  "sse-retry",
  ...[
    "metadata-default",
    "metadata-var1",
    "metadata-var2",
    "metadata-var3",
    "basic-cimd",
    "scope-from-www-authenticate",
    "scope-from-scopes-supported",
    "scope-omitted-when-undefined",
    "scope-step-up",
    "scope-retry-limit",
    "token-endpoint-auth-basic",
    "token-endpoint-auth-post",
    "token-endpoint-auth-none",
    "pre-registration",
    "2025-03-26-oauth-metadata-backcompat",
    "2025-03-26-oauth-endpoint-fallback",
    "resource-mismatch",
    "offline-access-scope",
    "offline-access-not-supported",
    "client-credentials-jwt",
    "client-credentials-basic",
    "cross-app-access-complete-flow",
  ].map((name) => `auth/${name}`),
]
const client = path.join(import.meta.dirname, "client.ts")
const output = fs.mkdtempSync(path.join(os.tmpdir(), "mcp-conformance-"))

const checksIn = (place) =>
  fs
    .readdirSync(place, { recursive: true })
    .filter((file) => path.basename(file) === "checks.json")
    .flatMap((file) => JSON.parse(fs.readFileSync(path.join(place, file), "utf8")))
    .filter(({ status }) => status !== "INFO")

let passed = 0
let all = 0
for (const scenario of chosen.length > 0 ? chosen : SCENARIOS) {
  const place = path.join(output, scenario.replaceAll("/", "_"))
  const command = `${process.execPath} ${client}`
  const run = spawnSync(
    process.execPath,
    [suite, "client", "--command", command, "--scenario", scenario, "-o", place],
    {
      encoding: "utf8",
      timeout: 120_000,
    },
  )
  const checks = fs.existsSync(place) ? checksIn(place) : []
  const good = checks.filter(({ status }) => status === "SUCCESS")
  passed += good.length
  all += checks.length
  console.log(`${scenario}: ${good.length} of ${checks.length}`)
  for (const { id, status, errorMessage } of checks)
    if (status !== "SUCCESS") console.log(`  ${status} ${id}: ${errorMessage}`)
  if (checks.length === 0) console.log(`${run.stdout}${run.stderr}`.split("\n").slice(-20).join("\n"))
}
fs.rmSync(output, { recursive: true, force: true })
console.log(`${passed} of ${all} checks`)
