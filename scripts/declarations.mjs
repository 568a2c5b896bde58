// Receives a TypeScript project and the entries of a bundle; writes the declarations of the entries and of everything that they
// reference.
// Invariant: the declarations import only each other, Node's own modules and the given packages, so that they compile in an app
// without any other package.
import { execFile } from "node:child_process"
import fs from "node:fs"
import os from "node:os"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

const ROOT = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const run = promisify(execFile)

/** `entries` maps each name to its source below src/, without the extension: `NAME.d.ts` is written into the folder `target`. */
export const writeDeclarations = async ({ project, target, entries, packages }) => {
  const emitted = fs.mkdtempSync(path.join(os.tmpdir(), "perch-types-"))
  try {
    const tsc = path.join(ROOT, "node_modules/typescript/bin/tsc")
    // A package is made of four projects at once: with several threads each, the compiler needs 80 % more processor time.
    const args = ["--singleThreaded", "-p", project, "--noEmit", "false", "--emitDeclarationOnly", "--outDir", emitted]
    await run(process.execPath, [tsc, ...args], { cwd: ROOT }).catch(({ stdout, stderr }) => {
      throw new Error(`The declarations of ${project} could not be written:\n${stdout}${stderr}`)
    })
    for (const [name, source] of Object.entries(entries)) {
      copy({ emitted, target, packages }, `${source}.d.ts`)
      fs.writeFileSync(path.join(target, `${name}.d.ts`), `export * from "./types/${source}.js"\n`)
    }
  } finally {
    fs.rmSync(emitted, { recursive: true, force: true })
  }
}

const IMPORT = /((?:from|import\()\s*")([^"]+)"/g

const copy = (folders, file) => {
  const to = path.join(folders.target, "types", file)
  if (fs.existsSync(to)) return
  const text = fs.readFileSync(path.join(folders.emitted, file), "utf8")
  fs.mkdirSync(path.dirname(to), { recursive: true })
  const portable = text.replaceAll(IMPORT, (whole, start, name) =>
    name.startsWith(".") ? `${start}${name.replace(/\.ts$/, ".js")}"` : whole,
  )
  fs.writeFileSync(to, portable)
  for (const [, , name] of text.matchAll(IMPORT)) {
    if (name.startsWith(".")) copy(folders, path.join(path.dirname(file), name.replace(/\.ts$/, ".d.ts")))
    else if (!isKnown(name, folders.packages)) throw new Error(`The declarations of ${file} import ${name}.`)
  }
}

const isKnown = (name, packages) =>
  name.startsWith("node:") || packages.some((known) => name === known || name.startsWith(`${known}/`))
