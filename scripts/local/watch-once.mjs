// Receives a folder; calls back once, when something in it or below it has changed.
// Invariant: a watcher per folder. Node watches a folder recursively with one per file on Linux, a tenth of a second for `src`.
import fs from "node:fs"
import path from "node:path"

/** Calls `onChange` at the first change, and watches no longer. */
export const watchOnce = (folder, onChange) => {
  const below = fs.readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isDirectory())
  const folders = [folder, ...below.map((entry) => path.join(entry.parentPath, entry.name))]
  const watchers = []
  const changed = () => {
    if (watchers.length === 0) return
    for (const watcher of watchers.splice(0)) watcher.close()
    onChange()
  }
  for (const one of folders) watchers.push(fs.watch(one, changed))
}
