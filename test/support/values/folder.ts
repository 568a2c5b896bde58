// Local folders for tests of push and pull: created from a table, and read back as one.
import fs from "node:fs"
import os from "node:os"
import path from "node:path"

/** A text or bytes, `{mode, content}`, `{link}`, or null for an empty folder. */
export type Planted =
  | string
  | Uint8Array
  | { readonly content: string; readonly mode: number }
  | { readonly link: string }
  | null

export const plant = (root: string, tree: Readonly<Record<string, Planted>>): void => {
  for (const [name, what] of Object.entries(tree)) {
    const at = path.join(root, name)
    fs.mkdirSync(what === null ? at : path.dirname(at), { recursive: true })
    if (what === null) continue
    if (typeof what === "string" || what instanceof Uint8Array) fs.writeFileSync(at, what, { mode: 0o644 })
    else if ("link" in what) fs.symlinkSync(what.link, at)
    else fs.writeFileSync(at, what.content, { mode: what.mode })
    if (typeof what === "object" && "mode" in what) fs.chmodSync(at, what.mode)
  }
}

/** Every path of a folder with its content, in a comparable form: a folder with a slash, files with mode and content. */
export const treeOf = (root: string, at = ""): Record<string, string> => {
  const found: Record<string, string> = {}
  for (const name of fs.readdirSync(path.join(root, at)).toSorted()) {
    const here = at === "" ? name : `${at}/${name}`
    const stat = fs.lstatSync(path.join(root, here))
    if (stat.isSymbolicLink()) found[here] = `-> ${fs.readlinkSync(path.join(root, here))}`
    else if (stat.isDirectory()) Object.assign(found, { [`${here}/`]: "" }, treeOf(root, here))
    else found[here] = `${(stat.mode & 0o777).toString(8)} ${fs.readFileSync(path.join(root, here)).toString("base64")}`
  }
  return found
}

/** A new folder under the system's temporary one. */
export const temporaryFolder = (name = "folder"): string =>
  fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), `perch-${name}-`)))
