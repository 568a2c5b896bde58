// Receives the stderr of a script, and the files that rules refused; returns the errors as Unix programs print them, with the
// refusals at the end.
// Invariant: a refusal is reported whether or not the refused command printed an error.
import type { GuardedOverlay } from "../workspace/tree/guarded-overlay.ts"

/** The error that the shell's own programs print for any file that they can't open. */
const MISSING = /^((?:[^\n:]+: )+?)([^\n:]+): No such file or directory$/gm
const DENIED = /EACCES: permission denied, [a-z]+ '[^'\n]*'/g

export const withRefusals = (stderr: string, files: GuardedOverlay): string => {
  const refusals = files.refusals()
  if (refusals.length === 0) return stderr
  const printed = stderr
    .replace(MISSING, (line: string, program: string, name: string) =>
      files.wasRefused(name.replace(/^.*cannot [a-z ]+ /, "").replace(/^['"]|['"]$/g, ""))
        ? `${program}${name}: Permission denied`
        : line,
    )
    .replace(DENIED, "Permission denied")
  return [printed, `(Permission denied: ${refusals.join("; ")}.)`].filter((text) => text !== "").join("\n")
}
