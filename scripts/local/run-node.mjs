// Receives a script and its input; runs it with the project's own Node and buffers its output until `show()`.
// Invariant: it receives secrets only on stdin, never in its environment, its arguments or a file.
import { spawn } from "node:child_process"
import fs from "node:fs"
import path from "node:path"
import { SECRETS } from "../setting-names.mjs"

const GUARD = new URL("guard.mjs", import.meta.url).href

export const runNode = (root, args, input) => {
  const localNode = path.join(root, "node_modules/.bin/node")
  const env = {
    ...process.env,
    CI: "true",
    // Miniflare is megabytes of JavaScript: its compiled code is cached for the next starts.
    NODE_COMPILE_CACHE: path.join(root, ".wrangler/compiled"),
    // Nothing that it or its children start outlives it.
    NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ""} --import ${GUARD}`.trim(),
    CLOUDFLARE_CF_FETCH_ENABLED: "false",
    WRANGLER_HIDE_BANNER: "true",
    WRANGLER_SEND_METRICS: "false",
    WRANGLER_WRITE_LOGS: "false",
    // Disables wrangler's explorer, which needs no key, and its traces of every request, which cost more than the request.
    X_LOCAL_EXPLORER: "false",
    X_LOCAL_OBSERVABILITY: "false",
  }
  for (const name of SECRETS) delete env[name]
  const node = fs.existsSync(localNode) ? localNode : process.execPath
  const child = spawn(node, args, { cwd: root, env, stdio: ["pipe", "pipe", "pipe"] })
  // A child that ends before it has read its input reports the reason on stderr.
  child.stdin.on("error", () => {})
  child.stdin.end(input)
  const run = { child, output: "", shown: false, show: () => {} }
  for (const [source, target] of [
    [child.stdout, process.stdout],
    [child.stderr, process.stderr],
  ]) {
    source.on("data", (chunk) => (run.shown ? target.write(chunk) : (run.output += chunk)))
  }
  run.show = () => {
    run.shown = true
    run.output = ""
  }
  // Not "close": a grandchild that outlives the child would keep the pipes open.
  run.exited = new Promise((resolve) => child.once("exit", (code) => resolve(code ?? 1)))
  return run
}
