// Reads a file of this machine that a command-line flag names.
// Invariant: a file that can't be read is a LaunchError that names the flag and the path.
import { readFileSync } from "node:fs"
import path from "node:path"
import { messageOf } from "../api/message-of.ts"
import { LaunchError } from "./launch-error.ts"

/** The text of the file; a relative `name` is below `cwd`. */
export const readFlagFile = (flag: string, name: string, cwd: string): string => {
  const place = path.resolve(cwd, name)
  try {
    return readFileSync(place, "utf8")
  } catch (error) {
    throw new LaunchError(`${flag} names a file that can't be read: ${messageOf(error)}`)
  }
}
