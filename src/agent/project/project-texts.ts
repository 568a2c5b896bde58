// Receives the events of what was read of a project, in order; returns what the model reads of each.
// Invariant: a function of the log, so that requests repeat it byte for byte.
import type { LogEvent } from "../../schemas/log/events.ts"
import { EventNames } from "../../schemas/log/events.ts"
import { instructionsText } from "./instructions-text.ts"
import { skillListing } from "./skill-text.ts"

type ProjectEvent = LogEvent<"instructions:loaded" | "skills:listed">

export class ProjectTexts {
  /** What the model has read before of each kind. */
  readonly #read: Set<string>

  constructor(read: Iterable<string> = []) {
    this.#read = new Set(read)
  }

  /** The kinds that it has read. */
  get read(): ReadonlyArray<string> {
    return [...this.#read]
  }

  /** The model reads everything as if for the first time. */
  restart(): void {
    this.#read.clear()
  }

  next(event: ProjectEvent): string {
    const again = this.#read.has(event.name)
    this.#read.add(event.name)
    return event.name === EventNames.skillsListed
      ? skillListing(event.payload.skills, again)
      : instructionsText(event.payload, again)
  }
}
