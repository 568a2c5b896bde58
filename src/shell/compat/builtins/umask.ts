// `umask`: the permissions that new files and directories do not get. It is a hidden variable of the shell, so a subshell
// changes only its own.
// Invariant: an invalid mask is an error and changes nothing.
import type { BuiltinResult } from "./builtins.ts"

/** The fields of the interpreter's state that are read and written here. */
export interface UmaskState {
  readonly env: Map<string, string>
}

const VARIABLE = "__perch_umask"
export const DEFAULT_UMASK = 0o022

export const umaskOf = ({ env }: { readonly env: ReadonlyMap<string, string> }): number =>
  Number.parseInt(env.get(VARIABLE) ?? "22", 8)

const WHO: Readonly<Record<string, number>> = { u: 0o700, g: 0o070, o: 0o007, a: 0o777 }
const WHAT: Readonly<Record<string, number>> = { r: 0o444, w: 0o222, x: 0o111 }

const bitsOf = (letters: string, table: Readonly<Record<string, number>>): number =>
  Array.from(letters).reduce((bits, letter) => bits | (table[letter] ?? 0), 0)

/** The mask after a symbolic change such as `u=rwx,go-w`, which is about what is allowed; null if it is invalid. */
const changed = (mask: number, text: string): number | null => {
  let allowed = 0o777 & ~mask
  for (const part of text.split(",")) {
    const [, who = "", operator, what = ""] = /^([ugoa]*)([-+=])([rwx]*)$/.exec(part) ?? []
    if (operator === undefined) return null
    const places = bitsOf(who === "" ? "a" : who, WHO)
    const bits = places & bitsOf(what, WHAT)
    if (operator === "+") allowed |= bits
    else if (operator === "-") allowed &= ~bits
    else allowed = (allowed & ~places) | bits
  }
  return 0o777 & ~allowed
}

const symbolic = (mask: number): string => {
  const letters = (shift: number): string =>
    Array.from("rwx", (letter, at) => (((0o777 & ~mask) >> (shift + 2 - at)) & 1 ? letter : "")).join("")
  return `u=${letters(6)},g=${letters(3)},o=${letters(0)}`
}

export const masked = (state: UmaskState, args: ReadonlyArray<string>): BuiltinResult => {
  const options = args.filter((arg) => /^-[Sp]+$/.test(arg)).join("")
  const [text] = args.filter((arg) => !/^-[Sp]+$/.test(arg))
  const mask = umaskOf(state)
  const printed = options.includes("S") ? symbolic(mask) : mask.toString(8).padStart(4, "0")
  const before = options.includes("p") ? `umask ${options.includes("S") ? "-S " : ""}` : ""
  if (text === undefined) return { stdout: `${before}${printed}\n`, stderr: "", exitCode: 0 }
  const next = /^[0-7]{1,4}$/.test(text) ? Number.parseInt(text, 8) & 0o777 : changed(mask, text)
  if (next === null || /^\d*[89]/.test(text)) {
    const why = /^\d/.test(text) ? "octal number out of range" : "invalid symbolic mode"
    return { stdout: "", stderr: `bash: umask: \`${text}': ${why}\n`, exitCode: 1 }
  }
  state.env.set(VARIABLE, next.toString(8))
  return { stdout: options.includes("S") ? `${symbolic(next)}\n` : "", stderr: "", exitCode: 0 }
}
