// Receives names of files and folders; returns one hash of their content.
// Invariant: two hashes are equal if and only if the same files have the same content.
import { createHash } from "node:crypto"
import fs from "node:fs"
import path from "node:path"

const filesOf = (root, name) => {
  const top = path.join(root, name)
  if (!fs.statSync(top).isDirectory()) return [top]
  return fs
    .readdirSync(top, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .toSorted()
}

export const contentHash = (root, names) => {
  const hash = createHash("sha256")
  for (const file of names.flatMap((name) => filesOf(root, name))) {
    const content = fs.readFileSync(file)
    hash.update(`${path.relative(root, file)}\0${content.length}\0`).update(content)
  }
  return hash.digest("hex")
}
