// The folder of a test run's temporary files: in memory if there is room. On a disk, each commit of a test server's databases
// waits for the disk, and tests that start servers take a tenth more processor time.
// Invariant: the folder and all that is left in it are removed when the process that created it exits.
import fs from "node:fs"
import os from "node:os"
import path from "node:path"

const IN_MEMORY = "/dev/shm"
/** Far more than the files of a run, which are removed test by test. */
const NEEDED_BYTES = 4 * 2 ** 30

const hasRoom = (): boolean => {
  try {
    fs.accessSync(IN_MEMORY, fs.constants.W_OK)
  } catch {
    return false
  }
  const { bavail, bsize } = fs.statfsSync(IN_MEMORY)
  return Math.min(bavail * bsize, os.freemem()) >= NEEDED_BYTES
}

/** Whether programs in the folder can be run: in a container, /dev/shm often allows no programs. */
const allowsPrograms = (folder: string): boolean => {
  const program = path.join(folder, "program")
  fs.writeFileSync(program, "", { mode: 0o700 })
  try {
    fs.accessSync(program, fs.constants.X_OK)
    return true
  } catch {
    return false
  } finally {
    fs.rmSync(program)
  }
}

/** Sets the folder that `os.tmpdir()` returns in this process and in all that it starts, unless TMPDIR is set already. */
export const useTemporaryFolder = (): void => {
  if (process.env["TMPDIR"] !== undefined || !hasRoom()) return
  const folder = fs.mkdtempSync(path.join(IN_MEMORY, "perch-tests-"))
  process.once("exit", () => fs.rmSync(folder, { recursive: true, force: true, maxRetries: 3 }))
  if (allowsPrograms(folder)) process.env["TMPDIR"] = folder
}
