// Receives a path; creates the folder and its missing parents, as `mkdir -p` does.
// Invariant: it ends on every file system. Node's own recursion repeats for ever where mkdir answers ENOENT below a folder that
// exists, as in /proc.
import fs from "node:fs"
import path from "node:path"

/** Only their owner may use the folders that are created. Throws an error that names the folder and the reason. */
export const makeFolder = (folder) => {
  const missing = []
  for (let at = path.resolve(folder); !fs.existsSync(at); at = path.dirname(at)) missing.unshift(at)
  for (const one of missing) {
    try {
      fs.mkdirSync(one, { mode: 0o700 })
    } catch (error) {
      // Another process may have created it meanwhile.
      if (error.code === "EEXIST") continue
      throw new Error(`the folder ${folder} can't be created (${error.code})`, { cause: error })
    }
  }
  if (!fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw new Error(`${folder} is not a folder`)
}
