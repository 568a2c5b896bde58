// Checks the layout of the repository: imports that point in one direction, a source for each test, files and folders of a
// readable size. Prints its findings; the exit code is 1 if there are any.
import fs from "node:fs"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { backwardImports } from "./layers.mjs"

const MAX_LINES = 350
const MAX_FILES = 20

/** Folders of tests that do not test a single source: against recordings, over a whole server, in workerd, of the project. */
const KINDS = ["conformance", "e2e", "faults", "project", "workers"]

/** Folders that contain a list of recordings, each with its reason. */
const WIDE_FOLDERS = {
  "test/behaviour/shell/shell-table": "one script for each part of the shell that was recorded",
}

const filesBelow = (root, folder) => {
  const top = path.join(root, folder)
  if (!fs.existsSync(top)) return []
  return fs
    .readdirSync(top, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)).split(path.sep).join("/"))
    .filter((file) => !file.includes("/fixtures/"))
    .toSorted()
}

const isCode = (file) => /\.(ts|mts|mjs)$/.test(file)

const backward = (root, files) =>
  files
    .filter((file) => file.startsWith("src/") && isCode(file))
    .flatMap((file) => backwardImports(file.slice("src/".length), fs.readFileSync(path.join(root, file), "utf8")))

/** The test of `src/a/b.ts` is `test/a/b.test.ts`, and that of `scripts/a/b.mjs` is `test/scripts/a/b.test.ts`. */
const withoutSource = (files) => {
  const known = new Set(files)
  return files
    .filter((file) => file.startsWith("test/") && file.endsWith(".test.ts"))
    .filter((file) => {
      const [, kind, ...rest] = file.split("/")
      if (kind === "behaviour") return rest.length === 1
      if (KINDS.includes(kind)) return false
      const name = file.slice("test/".length, -".test.ts".length)
      return !known.has(`src/${name}.ts`) && !known.has(`${name}.mjs`)
    })
    .map((file) => `${file} has no source of its name. A test of several files belongs in test/behaviour/TOPIC/.`)
}

const tooLong = (root, files) =>
  files
    .filter(isCode)
    .map((file) => ({ file, lines: fs.readFileSync(path.join(root, file), "utf8").split("\n").length - 1 }))
    .filter(({ lines }) => lines > MAX_LINES)
    .map(({ file, lines }) => `${file} has ${lines} lines; ${MAX_LINES} is the most. Split it by what its parts do.`)

const tooWide = (files) => {
  const counts = new Map()
  for (const file of files) counts.set(path.posix.dirname(file), (counts.get(path.posix.dirname(file)) ?? 0) + 1)
  return [...counts]
    .filter(([folder, count]) => count > MAX_FILES && WIDE_FOLDERS[folder] === undefined)
    .map(([folder, count]) => `${folder}/ has ${count} files; ${MAX_FILES} is the most. Give them rooms.`)
}

/** Every error in the layout of the repository at `root`, one sentence each. */
const structureFindings = (root) => {
  const files = [...filesBelow(root, "src"), ...filesBelow(root, "scripts"), ...filesBelow(root, "test")]
  return [...backward(root, files), ...withoutSource(files), ...tooLong(root, files), ...tooWide(files)]
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const findings = structureFindings(path.resolve(import.meta.dirname, "../.."))
  for (const finding of findings) console.error(finding)
  if (findings.length > 0) process.exitCode = 1
}
