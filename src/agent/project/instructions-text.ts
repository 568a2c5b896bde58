// Receives the event with a project's loaded instructions; returns the reminder for the model.
// Invariant: the text depends on the log alone, so that requests repeat it byte for byte.
import type { InstructionsLoaded, LoadedInstructions } from "../../schemas/log/project-events.ts"

const BEGIN =
  "The instructions of this project and its user follow. Follow them: they take precedence over your defaults."
const AGAIN = "Files with instructions have changed. From here on their contents are as follows."

const KIND = {
  Project: "instructions of the project, kept with its code",
  Local: "the user's own instructions for this project",
} as const

/** `again`: the model has received instructions before. */
export const instructionsText = ({ files, gone = [] }: InstructionsLoaded, again: boolean): string => {
  const nested = files.length > 0 && files.every(({ trigger_file_path: trigger }) => trigger !== undefined)
  const intro = nested ? [] : [again ? AGAIN : BEGIN]
  const removed = gone.length === 0 ? [] : [`Removed, and no longer in force: ${gone.join(", ")}`]
  return [...(files.length === 0 ? [] : intro), ...files.map(shown), ...removed].join("\n\n")
}

const shown = ({ path, text, memory_type: type }: LoadedInstructions): string =>
  `Contents of ${path} (${KIND[type]}):\n\n${text}`
