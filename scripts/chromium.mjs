// Finds the Chromium for the console's tests; installs Debian's if there is none. Its headless shell is preferred: it has the
// same engine without a window and opens a page in a fraction of the time. Run directly (before `npm test`), it fails with a
// reason if it finds none and can't install one.
import { execFileSync, spawnSync } from "node:child_process"
import fs from "node:fs"
import path from "node:path"
import { fileURLToPath } from "node:url"

const NAMES = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]
const PLACES = [
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
]

/** The path of a browser: from PERCH_CHROMIUM, from PATH, or a usual location. Undefined if there is none. */
export const findChromium = () => {
  const named = process.env.PERCH_CHROMIUM
  if (named) return named
  const folders = (process.env.PATH ?? "").split(path.delimiter)
  return [...NAMES.flatMap((name) => folders.map((folder) => path.join(folder, name))), ...PLACES].find((file) =>
    fs.existsSync(file),
  )
}

const install = () => {
  const options = { stdio: ["ignore", "ignore", "inherit"], env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } }
  if (spawnSync("apt-get", ["update", "-qq"], options).status !== 0) return
  for (const name of ["chromium-headless-shell", "chromium"]) {
    const { status } = spawnSync("apt-get", ["install", "-y", "-qq", "--no-install-recommends", name], options)
    if (status === 0) return
  }
}

const canInstall = () => {
  try {
    execFileSync("apt-get", ["--version"], { stdio: "ignore" })
    return process.getuid?.() === 0
  } catch {
    return false
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url) && findChromium() === undefined) {
  if (canInstall()) install()
  if (findChromium() === undefined) {
    console.error("The console's tests need Chromium. Install it, or name one with PERCH_CHROMIUM=/path/to/chromium.")
    process.exit(1)
  }
}
