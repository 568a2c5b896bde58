// Bytes that are not valid UTF-8 in the output of a command. The interpreter joins the outputs of commands as text, in which such a
// byte would become two. This file marks them with private-use characters, and restores them where text becomes bytes again.
// Invariant: what a command reads, and what is written to a file, has the bytes that were printed.

/** The private-use character that marks byte 0; the marks of the other bytes follow it. */
const FIRST = 0x10_fe00

/** The character that marks a byte. */
export const markOfByte = (byte: number): string => String.fromCodePoint(FIRST + byte)

/** The byte that a character marks. */
export const byteOfMark = (mark: string): number => (mark.codePointAt(0) ?? FIRST) - FIRST

/** Matches one valid character, one character per byte, or a byte that is none. */
const CHARACTER =
  /[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|\xed[\x80-\x9f][\x80-\xbf]|[\xe1-\xef][\x80-\xbf]{2}|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2}|[\x80-\xff]/g
/** Matches the UTF-8 encoding of a mark, one character per byte. */
const ENCODED = /\xf4\x8f([\xb8-\xbb])([\x80-\xbf])/g
const MARKED = /[\u{10fe00}-\u{10feff}]+/gu
/** The first half of every mark in a string. */
const HALF = "\udbff"

interface Result {
  readonly stdout: string
  readonly stdoutKind?: unknown
  readonly stdoutEncoding?: unknown
}

const isValid = (text: string): boolean => {
  try {
    new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.from(text, "latin1"))
    return true
  } catch (error) {
    if (error instanceof TypeError) return false
    throw error
  }
}

/** The result of a pipeline, as text with marks if it printed bytes that are not valid UTF-8. */
export const withMarkedBytes = (result: unknown): unknown => {
  // Every pipeline of the interpreter has such a result.
  const { stdout, stdoutKind, stdoutEncoding, ...others } = result as Result
  if (stdoutKind !== "bytes" && stdoutEncoding !== "binary") return result
  if (!/[\x80-\xff]/.test(stdout) || isValid(stdout)) return result
  const marked = stdout.replace(CHARACTER, (all) =>
    all.length === 1 ? markOfByte(all.charCodeAt(0)) : Buffer.from(all, "latin1").toString("utf8"),
  )
  return { ...others, stdout: marked, stdoutKind: "text" }
}

/** Bytes, one character per byte, with the marked ones restored. */
export const restored = (bytes: string): string =>
  bytes.includes("\xf4\x8f")
    ? bytes.replace(ENCODED, (_, high: string, low: string) =>
        String.fromCharCode(((high.charCodeAt(0) - 0xb8) << 6) + low.charCodeAt(0) - 0x80),
      )
    : bytes

/** The content of a file with the marked bytes restored. */
export const restoredContent = <A>(content: A, encoding: unknown): A | Uint8Array => {
  if (typeof content !== "string") return content
  if (encoding === "binary" || encoding === "latin1")
    return content.includes("\xf4\x8f") ? Buffer.from(restored(content), "latin1") : content
  if (!content.includes(HALF)) return content
  return Buffer.from(restored(Buffer.from(content, "utf8").toString("latin1")), "latin1")
}

const lenient = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true })

/** A text that is shown, in which a character that is cut off, like a byte that is none, is one U+FFFD. */
export const readable = (text: string): string =>
  text.includes(HALF) ? text.replace(MARKED, (marks) => lenient.decode(Uint8Array.from(marks, byteOfMark))) : text

interface Variables {
  readonly env: Map<string, string>
  readonly arrays?: ReadonlyMap<string, { readonly elements: Map<unknown, string> }>
}

/** Decodes the bytes, one character per byte, in the values of a map; those that are not valid UTF-8 stay. */
const decode = <Key>(values: Map<Key, string>, keys: Iterable<Key>): void => {
  for (const key of keys) {
    const value = values.get(key) ?? ""
    if (/^[\0-\xff]*[\x80-\xff][\0-\xff]*$/.test(value) && isValid(value))
      values.set(key, Buffer.from(value, "latin1").toString("utf8"))
  }
}

/** Decodes the variables that `read` or `mapfile` has assigned: its input is bytes, and the interpreter would keep them. */
export const decodeRead = ({ env, arrays }: Variables, args: ReadonlyArray<string>): void => {
  const names = ["REPLY", "MAPFILE", ...args.map((arg) => arg.replace(/\[.*$/s, ""))]
  decode(env, names)
  for (const name of names) {
    const elements = arrays?.get(name)?.elements
    if (elements !== undefined) decode(elements, elements.keys())
  }
}

interface Interpreter {
  readonly ctx: { readonly state: object }
  executeSimpleCommand: (node: unknown, ...rest: Array<unknown>) => Promise<unknown>
  runCommand: (name: string, args: Array<string>, ...rest: Array<unknown>) => Promise<unknown>
}

interface Command {
  readonly redirections?: ReadonlyArray<{ readonly operator?: unknown; readonly fd?: unknown }>
}

const copiesStdout = ({ redirections = [] }: Command): boolean =>
  redirections.some(({ operator, fd }) => operator === ">&" && (fd ?? 1) === 1)

/**
 * Has the interpreter mark the bytes of commands with `>&2`. It would put them into stderr, which is text, one character per
 * byte, also those of valid characters.
 */
export const markErrors = <A extends Interpreter>(interpreter: A): A => {
  const { executeSimpleCommand, runCommand } = interpreter
  const copying = new WeakSet()
  interpreter.executeSimpleCommand = function (this: A, node, ...rest) {
    const run = () => executeSimpleCommand.call(this, node, ...rest)
    const { state } = this.ctx
    // A simple command of the interpreter's own parser.
    if (!copiesStdout(node as Command) || copying.has(state)) return run()
    copying.add(state)
    return run().finally(() => copying.delete(state))
  }
  interpreter.runCommand = function (this: A, name, args, ...rest) {
    const ran = runCommand.call(this, name, args, ...rest)
    return copying.has(this.ctx.state) ? ran.then(withMarkedBytes) : ran
  }
  return interpreter
}
