// The documents of the project: its Markdown pages, and the examples, whose texts name files too.
import fs from "node:fs"
import path from "node:path"

const ROOT = path.resolve(import.meta.dirname, "../..")

const filesBelow = (folder: string, ends: RegExp): ReadonlyArray<string> =>
  fs
    .readdirSync(path.join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .map((name) => path.join(folder, name).split(path.sep).join("/"))
    .filter((name) => ends.test(name) && !name.includes("node_modules/"))

/** Paths relative to the project. */
export const documents: ReadonlyArray<string> = [
  ...fs.readdirSync(ROOT).filter((name) => name.endsWith(".md")),
  ...filesBelow("docs", /\.md$/),
  ...filesBelow("examples", /\.(md|mjs|js|ts|html)$/),
]
