// Descriptors that `exec` sets (`exec 3>&1`, `exec > log`). Inside `$(…)`, a pipeline or `{ …; } > file`, the interpreter resolves
// `>&3` to what stdout is at that moment, so the text would end up there, and `exec > log` to the log, so `$(…)` would be empty.
// Receives each construct that captures output, and what is written to such descriptors inside it; returns its result with the
// texts of copies in front of its own output.
// Invariant: a text is printed exactly once, to the output that bash would use.
import { CAPTURES, PIPED, REDIRECTED } from "../../syntax/nodes.ts"
import type { Threads } from "../threads.ts"

/** The field of the interpreter's state that is read and written here: what each descriptor refers to. */
export interface DescriptorState {
  fileDescriptors?: Map<number, string>
  /** True while a command runs that redirects its output. */
  redirects?: boolean
}

interface Shell {
  readonly ctx: {
    readonly state: DescriptorState
    readonly fs: { readonly appendFile: (path: string, text: string, encoding: "binary" | "utf8") => Promise<void> }
  }
}

const COPY = /^__dupout__:([12])$/
/** A file that no script can name; the interpreter appends to it what is written to the descriptor. */
const FILE = "__file_append__:"
/** What `exec > file`, `exec >> file` and `exec >&2` leave in stdout or stderr. */
const TARGET = /^__file(?:_append)?__:([\s\S]*)$/
const PATH = /^\0perch-output:(\d+):([12])$/
const LOWEST = 3

type Texts = [stdout: string, stderr: string]
type Run = () => Promise<unknown>

interface Redirected {
  readonly type?: unknown
  readonly commands?: ReadonlyArray<unknown>
  readonly redirections?: ReadonlyArray<unknown>
  readonly [CAPTURES]?: true
  readonly [PIPED]?: true
  readonly [REDIRECTED]?: true
}

/** True for `$(…)`, a pipeline of several commands, and a compound command with redirections. */
const captures = (node: Redirected, threads: Threads): boolean => {
  if (node.type === "Pipeline") return (node.commands?.length ?? 0) > 1
  if (node[CAPTURES] === true) return true
  if (threads.used && (node[PIPED] === true || node[REDIRECTED] === true)) return true
  return node.type !== "SimpleCommand" && (node.redirections?.length ?? 0) > 0
}

interface Printed {
  stdout: string
  stderr: string
  readonly stdoutKind?: unknown
  readonly internalOutputAccounting?: { readonly stdout: number; readonly stderr: number }
}

const hasOutput = (value: unknown): value is Printed =>
  typeof value === "object" && value !== null && "stdout" in value && "stderr" in value

/** The descriptors of a command in the background: what it prints goes to the outputs at `depth`, unless that is a file. */
export const copiesAt = ({ fileDescriptors }: DescriptorState, depth: number): Map<number, string> => {
  const copies = new Map(fileDescriptors)
  for (const descriptor of new Set([1, 2, ...copies.keys()])) {
    const before = copies.get(descriptor)
    const output = before === undefined ? descriptor : COPY.exec(before)?.[1]
    if (output !== undefined) copies.set(descriptor, `${FILE}\0perch-output:${depth}:${output}`)
  }
  return copies
}

const settled = (run: Run): Promise<unknown> => run().catch((error: unknown) => error)

/** The result of a construct, or an error, when the commands in the background that print to its texts have ended. */
const withEnds = async (threads: Threads, texts: Texts | null, run: Run): Promise<unknown> => {
  const ended = await settled(run)
  return (threads.any ? await settled(() => threads.ends(texts)) : undefined) ?? ended
}

/** A result, or the error that ended a shell, with texts after its output. */
const withLate = (result: unknown, texts: Texts): unknown => {
  if (!hasOutput(result) || (texts[0] === "" && texts[1] === "")) return result
  const [stdout, stderr] = texts
  texts.fill("")
  const last = result.stdoutKind === "bytes" ? Buffer.from(stdout, "utf8").toString("latin1") : stdout
  const whole = { stdout: result.stdout + last, stderr: result.stderr + stderr }
  return result instanceof Error ? Object.assign(result, whole) : { ...result, ...whole }
}

/** The files that a shell prints to, for a shell that it starts. */
export const filesOf = ({ fileDescriptors = new Map<number, string>() }: DescriptorState): Map<number, string> => {
  const files = new Map<number, string>()
  for (const descriptor of [1, 2]) {
    const target = fileDescriptors.get(descriptor) ?? ""
    const file = fileDescriptors.get(Number(COPY.exec(target)?.[1])) ?? target
    if (TARGET.test(file)) files.set(descriptor, file)
  }
  return files
}

export class SavedOutputs {
  /** What was written to copies of the outputs of each construct that is running, the outermost first; null for a command with `&`. */
  texts: ReadonlyArray<Texts | null> = [["", ""]]

  /** The place of the innermost texts. */
  get depth(): number {
    return this.texts.findLastIndex((texts) => texts !== null)
  }

  /** Takes what is appended to the file of a copy; returns false for any other path. */
  append(path: string, content: string | Uint8Array, encoding: unknown): boolean {
    const [, depth, output] = PATH.exec(path) ?? []
    const texts = this.texts[Number(depth)]
    if (depth === undefined || !texts) return false
    const text =
      typeof content !== "string"
        ? Buffer.from(content).toString("utf8")
        : encoding === "binary"
          ? Buffer.from(content, "latin1").toString("utf8")
          : content
    texts[output === "1" ? 0 : 1] += text
    return true
  }

  /** Runs a node of a script. */
  readonly during = async (shell: Shell, node: unknown, threads: Threads, run: Run): Promise<unknown> => {
    const { fileDescriptors } = shell.ctx.state
    if (!threads.used && (fileDescriptors === undefined || fileDescriptors.size === 0)) return run()
    // A node of the interpreter's own parser.
    const redirected = node as Redirected
    const isValue = redirected[CAPTURES] === true
    try {
      const result = await (captures(redirected, threads) ? this.#inside(shell, isValue, threads, run) : run())
      return isValue ? result : this.#printed(result)
    } catch (error) {
      if (!isValue) this.#printed(error)
      throw error
    }
  }

  async #inside(shell: Shell, isValue: boolean, threads: Threads, run: Run): Promise<unknown> {
    const { state } = shell.ctx
    const moved = new Map<number, readonly [before: string, during: string | null]>()
    for (const [descriptor, before] of state.fileDescriptors ?? []) {
      const [, output] = COPY.exec(before) ?? []
      if (isValue ? descriptor === 1 : descriptor < LOWEST && (TARGET.test(before) || output !== undefined))
        moved.set(descriptor, [before, null])
      else if (output !== undefined && (descriptor >= LOWEST || output !== String(descriptor)))
        moved.set(descriptor, [before, `${FILE}\0perch-output:${this.depth}:${output}`])
    }
    if (moved.size === 0 && !threads.used) return run()
    for (const [descriptor, [, during]] of moved)
      if (during === null) state.fileDescriptors?.delete(descriptor)
      else state.fileDescriptors?.set(descriptor, during)
    const { texts } = this
    const own: Texts = ["", ""]
    this.texts = [...texts, own]
    const ended = withLate(await withEnds(threads, own, run), own)
    this.texts = texts
    for (const [descriptor, [before, during]] of moved)
      if ((state.fileDescriptors?.get(descriptor) ?? null) === during) state.fileDescriptors?.set(descriptor, before)
    const result = isValue ? ended : await this.#written(shell, ended, moved.get(1)?.[0], moved.get(2)?.[0])
    if (result instanceof Error) throw result
    return result
  }

  /** Writes the output of a construct to the files that `exec` has set; returns its result, or error, with the rest of it. */
  async #written({ ctx }: Shell, result: unknown, stdout = "", stderr = ""): Promise<unknown> {
    if (!hasOutput(result)) return result
    const [, out] = TARGET.exec(stdout) ?? []
    const [, err] = TARGET.exec(stderr) ?? []
    const isBytes = result.stdoutKind === "bytes"
    const rest = { stdout: result.stdout, stderr: result.stderr }
    if (out !== undefined && rest.stdout !== "") {
      await ctx.fs.appendFile(out, rest.stdout, isBytes ? "binary" : "utf8")
      rest.stdout = ""
    }
    if (err !== undefined && rest.stderr !== "") {
      await ctx.fs.appendFile(err, rest.stderr, "utf8")
      rest.stderr = ""
    }
    // `exec >&2` and `exec 2>&1`.
    if (stdout.endsWith("__dupout__:2")) {
      rest.stderr += isBytes ? Buffer.from(rest.stdout, "latin1").toString("utf8") : rest.stdout
      rest.stdout = ""
    } else if (stderr.endsWith("__dupout__:1")) {
      rest.stdout = (isBytes ? Buffer.from(rest.stderr, "utf8").toString("latin1") : rest.stderr) + rest.stdout
      rest.stderr = ""
    }
    const counted = result.internalOutputAccounting
    // The interpreter rejects a result that has less output than it has counted.
    const internalOutputAccounting = {
      stdout: rest.stdout === result.stdout ? (counted?.stdout ?? 0) : 0,
      stderr: rest.stderr === result.stderr ? (counted?.stderr ?? 0) : 0,
    }
    const changed = { ...rest, internalOutputAccounting }
    return result instanceof Error ? Object.assign(result, changed) : { ...result, ...changed }
  }

  /** Takes what a command in the background has printed outside of its own commands. */
  print(texts: Texts | null | undefined, printed: unknown): void {
    if (!texts || !hasOutput(printed)) return
    texts[0] += printed.stdoutKind === "bytes" ? Buffer.from(printed.stdout, "latin1").toString("utf8") : printed.stdout
    texts[1] += printed.stderr
  }

  /** Runs the script of a run, and waits for its commands in the background; returns the result with what they have printed. */
  readonly last = async (threads: Threads, run: Run): Promise<unknown> => {
    const ended = await withEnds(threads, null, run)
    threads.close()
    const result = withLate(ended, this.texts.at(-1) ?? ["", ""])
    if (result instanceof Error) throw result
    return result
  }

  /** The result of a command, or the error that ended its shell, with the texts in front of its output. */
  #printed(result: unknown): unknown {
    const texts = this.texts.at(-1)
    if (!texts || !hasOutput(result) || (texts[0] === "" && texts[1] === "")) return result
    const [stdout, stderr] = texts
    texts.fill("")
    const first = result.stdoutKind === "bytes" ? Buffer.from(stdout, "utf8").toString("latin1") : stdout
    if (!(result instanceof Error)) return { ...result, stdout: first + result.stdout, stderr: stderr + result.stderr }
    result.stdout = first + result.stdout
    result.stderr = stderr + result.stderr
    return result
  }
}
