// Receives a pattern in one of the dialects of the shell's programs; returns it as a linear-time expression.
// Invariant: a pattern from a script is never matched by backtracking.
import { RE2JS } from "re2js"
import { UsageError } from "../programs/program.ts"

const BASIC_OPERATORS = "+?|(){}"

/** Converts a basic regular expression, in which `\+ \? \| \( \) \{ \}` are operators, to an extended one. */
export const extendedOf = (basic: string): string => {
  let result = ""
  for (let at = 0; at < basic.length; at += 1) {
    const letter = basic.charAt(at)
    if (letter === "[") {
      const end = bracketEnd(basic, at)
      result += basic.slice(at, end + 1)
      at = end
    } else if (letter === "\\") {
      const next = basic.charAt((at += 1))
      result += BASIC_OPERATORS.includes(next) && next !== "" ? next : `\\${next}`
    } else if (letter === "$" && !/^(?:$|\\[)|])/.test(basic.slice(at + 1))) result += "\\$"
    else if (letter === "^" && !/(?:^|[^\\][(|])$/.test(result)) result += "\\^"
    else if (BASIC_OPERATORS.includes(letter)) result += `\\${letter}`
    else if (letter === "*" && (result === "" || /(?:^|[^\\])[(|^]$/.test(result))) result += "\\*"
    else result += letter
  }
  return result
}

const bracketEnd = (text: string, open: number): number => {
  let at = open + 1
  if (text[at] === "^") at += 1
  if (text[at] === "]") at += 1
  for (; at < text.length; at += 1) {
    if (text[at] === "[" && /[:.=]/.test(text[at + 1] ?? ""))
      at = Math.max(at, text.indexOf(`${text[at + 1]}]`, at) + 1)
    else if (text[at] === "]") return at
  }
  return text.length - 1
}

export const compile = (extended: string, flags = 0): RE2JS => {
  try {
    return RE2JS.compile(extended, flags)
  } catch {
    throw new UsageError(`invalid regular expression: '${extended}'`)
  }
}

/** Returns a function that matches a whole text against a shell glob, in which `*` also matches `/`. */
export const globMatcher = (glob: string, ignoreCase: boolean): ((text: string) => boolean) => {
  let source = ""
  for (let at = 0; at < glob.length; at += 1) {
    const letter = glob.charAt(at)
    if (letter === "*") source += "[\\s\\S]*"
    else if (letter === "?") source += "[\\s\\S]"
    else if (letter === "\\") source += RE2JS.quote(glob.charAt((at += 1)))
    else if (letter === "[" && glob.indexOf("]", at + 2) !== -1) {
      const end = bracketEnd(glob, at)
      source += `[${glob
        .slice(at + 1, end)
        .replace(/^!/, "^")
        .replace(/\\/g, "\\\\")}]`
      at = end
    } else source += RE2JS.quote(letter)
  }
  const pattern = compile(source, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0)
  return (text) => pattern.matches(text)
}
