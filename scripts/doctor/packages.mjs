// Receives the project's folder; checks whether Node and the installed packages are those that the project needs.
// Invariant: it runs on a Node that is too old and without any package, so that it can report that.
import fs from "node:fs"
import path from "node:path"
import { fail, ok } from "./finding.mjs"

const readJson = (file) => JSON.parse(fs.readFileSync(file, "utf8"))

/** The version as numbers: `v20.11.1` is [20, 11, 1]. */
const numbersOf = (version) => version.replace(/^v/, "").split(".").map(Number)

/** `parseEnv`, which reads `.dev.vars`, was added in 20.12. */
const OLDEST = [20, 12]

export const checkNode = (version) => {
  const [major, minor] = numbersOf(version)
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return [ok("Node", version)]
  return [fail("Node", `${version} is too old`, `install Node ${OLDEST.join(".")} or newer: https://nodejs.org`)]
}

const PLATFORMS = {
  "linux-x64": "linux-64",
  "linux-arm64": "linux-arm64",
  "darwin-x64": "darwin-64",
  "darwin-arm64": "darwin-arm64",
  "win32-x64": "windows-64",
}

/** The packages whose installed version differs from the lock file. Packages for other systems are optional. */
const outOfStep = (locked, installed) =>
  Object.entries(locked).flatMap(([place, { version, optional, devOptional, link }]) => {
    if (place === "" || link === true) return []
    const there = installed[place]
    if (there === undefined) return optional === true || devOptional === true ? [] : [place]
    return there.version === version ? [] : [place]
  })

const nameOf = (place) => place.replace(/^.*node_modules\//, "")

const checkLock = (root) => {
  const lock = path.join(root, "package-lock.json")
  if (!fs.existsSync(lock)) return [fail("package-lock.json", "it is missing", "git checkout package-lock.json")]
  const hidden = path.join(root, "node_modules/.package-lock.json")
  if (!fs.existsSync(hidden)) return [fail("packages", "node_modules was not installed by npm", "npm ci")]
  let wrong
  try {
    wrong = outOfStep(readJson(lock).packages, readJson(hidden).packages)
  } catch {
    return [fail("packages", "package-lock.json or node_modules/.package-lock.json is not readable", "npm ci")]
  }
  if (wrong.length === 0) return [ok("packages", "as package-lock.json has them")]
  const more = wrong.length > 1 ? ` and ${wrong.length - 1} more` : ""
  return [fail("packages", `${nameOf(wrong[0])}${more} are not as package-lock.json has them`, "npm ci")]
}

/** @param {string} root @param {{ platform: string, arch: string }} system */
export const checkPackages = (root, { platform, arch } = process) => {
  if (!fs.existsSync(path.join(root, "node_modules"))) return [fail("packages", "none are installed", "npm ci")]
  const findings = checkLock(root)
  const workerd = PLATFORMS[`${platform}-${arch}`]
  if (workerd === undefined) {
    const message = `workerd has no build for ${platform} on ${arch}`
    return [...findings, fail("workerd", message, "use Linux, macOS or Windows on a 64-bit processor")]
  }
  if (!fs.existsSync(path.join(root, "node_modules/@cloudflare", `workerd-${workerd}`))) {
    const message = `its build for this system (${workerd}) is not installed; node_modules may come from another machine`
    return [...findings, fail("workerd", message, "rm -rf node_modules && npm ci")]
  }
  return findings
}
