// Receives the id of a process group; returns its processes, for tests that started a server in its own group.
import { listProcesses } from "../../../../scripts/local/processes.mjs"

/** The processes of a group, without those that have ended. */
export const groupMembers = (group) => listProcesses().filter((row) => row.group === group)
