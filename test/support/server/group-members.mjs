// Receives the id of a process group; returns the processes in it, for tests that started a server as a group of its own.
import { listProcesses } from "../../../scripts/local/processes.mjs"

/** The processes of a group, ended ones left out. */
export const groupMembers = (group) => listProcesses().filter((row) => row.group === group)
