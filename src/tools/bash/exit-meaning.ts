// Receives a script and its exit code; returns what the code means where it does not mean a failure.
import { readScript } from "../../shell/syntax/script.ts"

/** Programs whose exit code 1 is a result and not a failure, with its meaning. */
const ANSWERS: Readonly<Record<string, string>> = {
  grep: "No matches found",
  egrep: "No matches found",
  fgrep: "No matches found",
  rg: "No matches found",
  diff: "Files differ",
  find: "Some directories were inaccessible",
  test: "Condition is false",
  "[": "Condition is false",
}

/** The meaning of a script's exit code that is not a failure; undefined when it is one. */
export const meaningOf = (command: string, exitCode: number): string | undefined => {
  const name = readScript(command).commands.at(-1)?.name ?? ""
  return exitCode === 1 && Object.hasOwn(ANSWERS, name) ? ANSWERS[name] : undefined
}
