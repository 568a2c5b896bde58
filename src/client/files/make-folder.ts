// Receives a path; creates the folder and its missing parents, as `mkdir -p` does.
// Invariant: it ends on every file system. Node's own recursion repeats for ever where mkdir answers ENOENT below a folder that
// exists, as in /proc.
import fs from "node:fs"
import path from "node:path"
import { codeOf } from "./local-tree.ts"

/** `mode` applies to the folders that are created. Throws an error that names the folder and the reason. */
export const makeFolder = (folder: string, mode = 0o777): void => {
  const missing: Array<string> = []
  let at = path.resolve(folder)
  while (!fs.existsSync(at) && at !== path.dirname(at)) {
    missing.unshift(at)
    at = path.dirname(at)
  }
  for (const one of missing) {
    try {
      fs.mkdirSync(one, { mode })
    } catch (error) {
      // Another process may have created it meanwhile.
      if (codeOf(error) === "EEXIST") continue
      throw new Error(`The folder ${folder} can't be created (${codeOf(error)}).`, { cause: error })
    }
  }
  if (fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new Error(`${folder} is not a folder.`)
}
