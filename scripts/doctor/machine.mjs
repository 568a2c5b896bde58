// Receives the project's folder, the state folder and the port; checks whether this machine can run the server.
// Invariant: the checks change nothing, including the database of a running server.
import fs from "node:fs"
import net from "node:net"
import path from "node:path"
import { fail, ok, warn } from "./finding.mjs"

const MEGABYTE = 1024 * 1024
const LEAST_MB = 200
const FEW_MB = 1024
const SKEW_MS = 5 * 60_000

/** The port's findings; `taken` is true when something listens there. */
export const checkPort = (port, ip = "127.0.0.1") =>
  new Promise((resolve) => {
    const server = net.createServer()
    server.once("error", ({ code }) => {
      if (code === "EADDRINUSE") return resolve({ taken: true, findings: [] })
      const fix = "npm start -- --port 8787"
      resolve({ taken: false, findings: [fail(`port ${port}`, `it can't be listened on (${code})`, fix)] })
    })
    server.listen(port, ip, () => {
      server.close(() => resolve({ taken: false, findings: [ok(`port ${port}`, "free")] }))
    })
  })

/** In the path of a module, Vite takes these for a query, a fragment or a pattern. */
const NO_PATH = /[#?*]|\[(?=.*\])|\{(?=.*\})/

/** Whether the pages and the Worker can be built in the project's folder. */
export const checkFolder = (root) => {
  const wrong = NO_PATH.exec(root)?.[0]
  if (wrong === undefined) return ok("folder", root)
  return fail("folder", `nothing can be built in a path with "${wrong}"`, "move the project to a path without it")
}

/** Findings about the free disk space of a folder, `bytes`; undefined if it is unknown. */
export const checkDisk = (bytes, folder) => {
  if (bytes === undefined) return []
  const megabytes = Math.floor(bytes / MEGABYTE)
  const message = `${megabytes} MB are free for ${folder}`
  if (megabytes < LEAST_MB) return [fail("disk", `${message}, and ${LEAST_MB} are needed`, "free some disk space")]
  return megabytes < FEW_MB ? [warn("disk", message, "free some disk space")] : [ok("disk", message)]
}

/** The folder, or the nearest of its parents if it does not exist yet. */
const existing = (folder) => {
  let at = path.resolve(folder)
  while (!fs.existsSync(at)) at = path.dirname(at)
  return at
}

/** The bytes that this user can still write below the folder; undefined on a Node that can't find out. */
export const freeBytes = (folder) => {
  // Added in Node 18.15.
  if (fs.statfsSync === undefined) return undefined
  const { bavail, bsize } = fs.statfsSync(existing(folder))
  return bavail * bsize
}

/** Findings about the folder whose disk has the least free space. */
export const checkDisks = (folders) => {
  const [{ free, folder }] = folders
    .map((folder) => ({ folder, free: freeBytes(folder) }))
    .sort((first, second) => first.free - second.free)
  return checkDisk(free, folder)
}

/** With a clock that is behind, compatibility dates and certificates are rejected; with one that differs, keys with an expiry. */
export const checkClock = (root, compatibilityDate, now) => {
  const fix = "set the clock of this machine"
  if (now < Date.parse(`${compatibilityDate}T00:00:00Z`))
    return [fail("clock", `the clock is behind the compatibility date ${compatibilityDate}`, fix)]
  const newest = Math.max(
    ...["package.json", "package-lock.json", "wrangler.toml"].map(
      (name) => fs.statSync(path.join(root, name), { throwIfNoEntry: false })?.mtimeMs ?? 0,
    ),
  )
  if (newest > now + SKEW_MS) return [warn("clock", "it is older than the project's files", fix)]
  return [ok("clock", new Date(now).toISOString())]
}

const FRESH = "npm start -- --persist-to .wrangler/fresh, or remove the folder with all its sessions"

/** The last migration of the database file; undefined if it can't be read: Node before 22.5 lacks SQLite. */
const lastMigration = async (file) => {
  try {
    const { DatabaseSync } = await import("node:sqlite")
    const database = new DatabaseSync(file, { readOnly: true })
    try {
      return database.prepare("SELECT max(name) AS name FROM d1_migrations").get()?.name
    } finally {
      database.close()
    }
  } catch {
    return undefined
  }
}

const databasesOf = (state) => {
  const folder = path.join(state, "v3/d1")
  if (!fs.existsSync(folder)) return []
  return fs
    .readdirSync(folder, { recursive: true })
    .map(String)
    .filter((name) => name.endsWith(".sqlite") && !name.endsWith("metadata.sqlite"))
    .map((name) => path.join(folder, name))
}

const isWritable = (folder) => {
  try {
    fs.accessSync(folder, fs.constants.W_OK | fs.constants.R_OK | fs.constants.X_OK)
    return true
  } catch {
    return false
  }
}

const isOurs = ({ uid }) => process.getuid === undefined || uid === process.getuid()

export const checkState = async (root, state) => {
  const about = "state"
  const nearest = existing(state)
  if (!fs.statSync(nearest).isDirectory())
    return [fail(about, "its path is not a folder", "npm start -- --persist-to DIR")]
  if (nearest !== path.resolve(state))
    return isWritable(nearest)
      ? [ok(about, "none yet; `npm start` creates the folder")]
      : [fail(about, `its folder can't be created in ${nearest}`, "npm start -- --persist-to DIR")]
  const findings = []
  const own = path.join(state, "v3")
  for (const folder of [state, own].filter((one) => fs.existsSync(one))) {
    if (!isWritable(folder)) return [fail(about, "its folder can't be written", `sudo chown -R "$USER" "${state}"`)]
    if (!isOurs(fs.statSync(folder)))
      findings.push(warn(about, "its folder belongs to another user", `sudo chown -R "$USER" "${state}"`))
  }
  if (process.platform !== "win32" && fs.existsSync(own) && (fs.statSync(own).mode & 0o077) !== 0)
    findings.push(warn(about, "other users of this machine can read it", `chmod -R go= "${own}"`))
  const known = fs.existsSync(path.join(root, "migrations"))
    ? fs.readdirSync(path.join(root, "migrations")).filter((name) => name.endsWith(".sql"))
    : []
  const newest = known.toSorted().at(-1)
  for (const file of databasesOf(state)) {
    const last = await lastMigration(file)
    if (last && newest && last > newest)
      findings.push(
        fail(about, `its database has ${last}, and this checkout ends at ${newest}`, `git pull, or ${FRESH}`),
      )
  }
  return findings.length === 0 ? [ok(about, "readable by you alone, and of this version or an older one")] : findings
}
