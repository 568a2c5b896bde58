// Receives the log's events of a project's files; keeps which of them the model has read, as they were then.
// Invariant: a session that reads none of its project's files has nothing here.
import type { InstructionsLoaded } from "../../schemas/log/project-events.ts"

/** A file that the model has read: `hash` names its content at that time, `nested` came with a file of its folder. */
export interface KnownInstructions {
  readonly hash: string
  readonly nested: boolean
}

export class ProjectMemory {
  readonly #instructions = new Map<string, KnownInstructions>()

  /** By path. */
  get instructions(): ReadonlyMap<string, KnownInstructions> {
    return this.#instructions
  }

  load({ files, gone = [] }: InstructionsLoaded): void {
    // What a nested file imports is nested like itself.
    const nested = files.every(({ load_reason: reason }) => reason !== "session_start") && files.some(isTriggered)
    for (const { path, hash } of files) this.#instructions.set(path, { hash, nested })
    for (const path of gone) this.#instructions.delete(path)
  }
}

const isTriggered = ({ trigger_file_path: trigger }: InstructionsLoaded["files"][number]): boolean =>
  trigger !== undefined
