// Receives the text of a script; returns its syntax tree from the shell's own parser.
// Invariant: what the shell will run is what is parsed here; nothing of the script runs.
import type { Bash } from "just-bash/browser"
import { interpreter } from "../interpreter.ts"
import { withDeclaredArrays } from "./declared-arrays.ts"
import { withoutGaps } from "./parser-gaps.ts"
import type { Script, Statement } from "./words.ts"

let reading: Script | null = null

/** A shell that stores the parsed script in `reading`, and runs nothing. */
const parser = (() => {
  let bash: Bash | undefined
  return () => {
    if (bash === undefined) {
      const { Bash: Shell, InMemoryFs } = interpreter()
      bash = new Shell({ fs: new InMemoryFs(), commands: [], defenseInDepth: false })
      bash.registerTransformPlugin({
        name: "perch-reading",
        transform: ({ ast, metadata }) => {
          reading = ast
          return { ast: { ...ast, statements: [] }, metadata }
        },
      })
    }
    return bash
  }
})()

/**
 * Parses a script exactly as the shell will. The shell's `transform` would remove blanks first, which joins words:
 * `sh\\<newline> a1sum` is not `sha1sum`. A run parses its script before it awaits anything.
 */
export const parsed = (source: string): Script => {
  if (source.trim() === "") return { type: "Script", statements: [] }
  reading = null
  // The result of the run does not matter: the script has been parsed by now, or it does not parse.
  parser()
    .exec(withoutGaps(source), { rawScript: true })
    .catch(() => undefined)
  // The plugin has assigned it in the meantime, which the compiler can't know.
  const script = reading as Script | null
  if (script === null) throw new SyntaxError("The shell cannot parse this script.")
  return { ...script, statements: withDeclaredArrays(script.statements, parseScript) }
}

/** The statements of a script from the shell's own parser; null when it rejects the script. */
export const parseScript = (source: string): ReadonlyArray<Statement> | null => {
  try {
    return parsed(source).statements
  } catch {
    // All parse errors are treated alike; the shell reports them when it runs the text.
    return null
  }
}
