// Receives a state folder; keeps other servers out of it while this process runs. Two servers with one state would each run
// the turns and alarms of its sessions.
import path from "node:path"
import { lockFile } from "../file-lock.mjs"

/** A server that was killed may still be ending. */
const WITHIN_MS = 3_000

/** Resolves to a function that releases the lock; rejects if another server has it for the whole time. */
export const lockState = async (state, withinMs = WITHIN_MS) => {
  const release = await lockFile(path.join(state, "v3/server.lock"), withinMs)
  if (release !== undefined) return release
  throw new Error(
    `the state folder ${state} is in use by another server: stop it, or choose another folder with --persist-to`,
  )
}
