// Receives the events about a project's instructions and skills, in order; returns the text of each for the model.
// Invariant: the texts depend on the log alone, so that requests repeat them byte for byte.
import type { LogEvent } from "../../schemas/log/events.ts"
import { EventNames } from "../../schemas/log/events.ts"
import { instructionsText } from "./instructions-text.ts"
import { skillListing } from "./skill-text.ts"

type ProjectEvent = LogEvent<"instructions:loaded" | "skills:listed">

export class ProjectTexts {
  /** Names of the events whose kind of text the model has received before. */
  readonly #read: Set<string>

  constructor(read: Iterable<string> = []) {
    this.#read = new Set(read)
  }

  /** The names of those events, to be stored. */
  get read(): ReadonlyArray<string> {
    return [...this.#read]
  }

  /** Forgets what the model has received: every kind of text counts as new again. */
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
