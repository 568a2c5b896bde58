// Runs every line of the table in Debian's bash and records what it gave: stdout, whether it printed anything on stderr,
// the exit code, and what it changed in the tree. Run as root on Debian: node test/behaviour/shell/shell-table/record.mjs
// Invariant: each line starts in the same fresh tree, at the path where the tests have it.
import { execFileSync, spawnSync } from "node:child_process"
import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs"
import { symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { changesOf, readTable, ROOT, TREE } from "./tree.mjs"

/** Programs that a minimal Debian lacks, by package. */
const PACKAGES = { jq: "jq", mawk: "mawk", bc: "bc", column: "bsdextrautils", rev: "util-linux", diff: "diffutils" }

const ENV = {
  PATH: "/usr/local/bin:/usr/bin:/bin",
  HOME: ROOT,
  LC_ALL: "C.UTF-8",
  TZ: "UTC",
  USER: "user",
  TMPDIR: "/tmp",
}

const install = () => {
  const missing = Object.entries(PACKAGES).filter(([program]) => spawnSync("which", [program]).status !== 0)
  if (missing.length === 0) return
  execFileSync("apt-get", ["update", "-q"], { stdio: "inherit" })
  execFileSync("apt-get", ["install", "-qy", ...missing.map(([, name]) => name)], { stdio: "inherit" })
}

const makeTree = () => {
  mkdirSync(ROOT)
  chmodSync(ROOT, 0o755)
  for (const [name, entry] of Object.entries(TREE)) {
    const path = join(ROOT, name)
    if (entry === null) mkdirSync(path, { mode: 0o755 })
    else if (typeof entry === "string") writeFileSync(path, entry, { mode: 0o644 })
    else if (Array.isArray(entry)) writeFileSync(path, entry[0], { mode: entry[1] })
    else symlinkSync(entry.link, path)
  }
}

const readTree = (folder = "", found = {}) => {
  for (const name of readdirSync(join(ROOT, folder))) {
    const inner = join(folder, name)
    const path = join(ROOT, inner)
    const stat = lstatSync(path)
    if (stat.isSymbolicLink()) found[inner] = { link: readlinkSync(path) }
    else if (stat.isDirectory()) {
      found[inner] = { mode: stat.mode & 0o777 }
      readTree(inner, found)
    } else found[inner] = { mode: stat.mode & 0o777, text: readFileSync(path).toString("latin1") }
  }
  return found
}

const recordLine = (script) => {
  makeTree()
  try {
    const before = readTree()
    const ran = spawnSync("/bin/bash", ["--norc", "--noprofile", "-c", script], {
      cwd: ROOT,
      env: ENV,
      stdio: ["ignore", "pipe", "pipe"],
      timeout: 20_000,
    })
    if (ran.status === null) throw new Error(`no exit code: ${script}`)
    return {
      script,
      stdout: ran.stdout.toString("utf8"),
      stderr: ran.stderr.length > 0,
      exitCode: ran.status,
      changes: changesOf(before, readTree()),
    }
  } finally {
    rmSync(ROOT, { recursive: true })
  }
}

if (existsSync(ROOT)) throw new Error(`${ROOT} exists here: it would be overwritten`)
process.umask(0o022)
install()
const recording = readTable().map(({ family, lines }) => ({
  family,
  lines: lines.map(({ title, script }) => ({ title, ...recordLine(script) })),
}))
writeFileSync(join(import.meta.dirname, "recording.json"), `${JSON.stringify(recording, null, 1)}\n`)
console.log(`${recording.flatMap(({ lines }) => lines).length} lines in ${recording.length} families`)
