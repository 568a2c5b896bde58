// `exec > >(command)`: the interpreter would run the command at once, without any input. Receives such an `exec`, and what the
// shell then prints; runs the command with that text when the shell ends, after its EXIT handler.
// Invariant: each command runs once, and prints to the output that the shell had before.
import type { DescriptorState } from "./saved-outputs.ts"
import { nodeAt, nodesAt, partsOf } from "../../syntax/node-fields.ts"
import { type Node, statement } from "../../syntax/nodes.ts"
import { type SimpleCommand, wordText } from "../../syntax/words.ts"

/** True for `exec > file`, which the interpreter executes itself: it never reaches `runCommand`. */
export const isBareExec = (node: unknown): node is Node => {
  // A simple command of the interpreter's own parser.
  const { name, args } = node as Pick<SimpleCommand, "name" | "args">
  return name !== null && wordText(name) === "exec" && args.every((word) => wordText(word) === "--")
}

export interface CollectingState extends DescriptorState {
  fileDescriptors?: Map<number, string>
  groupStdin?: unknown
}

interface Collected {
  readonly body: ReadonlyArray<Node>
  readonly file: string
  /** What was printed, one character per byte. */
  text: string
}

const FILE = "__file_append__:"
const PATH = /^\0perch-collected:(\d+)$/
const TO_FILE = /^(?:>|>>|>\||&>|&>>)$/

/** The commands in `>(…)`; null if the redirection has another target. */
const commandsOf = (redirection: Node): ReadonlyArray<Node> | null => {
  const [only, more] = partsOf(redirection["target"])
  if (!TO_FILE.test(String(redirection["operator"])) || only?.["type"] !== "ProcessSubstitution" || more !== undefined)
    return null
  return only["direction"] === "output" ? nodesAt(nodeAt(only, "body") ?? {}, "statements") : null
}

export class CollectedOutputs {
  #collected: Array<Collected> = []

  get count(): number {
    return this.#collected.length
  }

  /** Takes what is appended to the file of such an output; returns false for any other path. */
  append(path: string, content: string | Uint8Array, encoding: unknown): boolean {
    const found = this.#collected[Number(PATH.exec(path)?.[1] ?? -1)]
    if (found === undefined) return false
    found.text +=
      typeof content !== "string"
        ? Buffer.from(content).toString("latin1")
        : encoding === "binary"
          ? content
          : encoded(content)
    return true
  }

  /** Runs an `exec` that has only redirections; `run` executes one with some of them. */
  async exec(state: CollectingState, node: Node, run: (node: Node) => Promise<unknown>): Promise<unknown> {
    let rest = nodesAt(node, "redirections")
    for (let at = rest.findIndex(isCollecting); at !== -1; at = rest.findIndex(isCollecting)) {
      const ran = await run({ ...node, redirections: rest.slice(0, at) })
      // Every command of the interpreter has such a result.
      if ((ran as { readonly exitCode?: unknown }).exitCode !== 0) return ran
      const redirection = rest[at]
      if (redirection !== undefined) this.#begin(state, redirection)
      rest = rest.slice(at + 1)
    }
    return run({ ...node, redirections: rest })
  }

  #begin(state: CollectingState, redirection: Node): void {
    const file = `${FILE}\0perch-collected:${this.#collected.length}`
    this.#collected.push({ body: commandsOf(redirection) ?? [], file, text: "" })
    state.fileDescriptors ??= new Map()
    const both = String(redirection["operator"]).startsWith("&")
    for (const descriptor of both ? [1, 2] : [Number(redirection["fd"] ?? 1)])
      state.fileDescriptors.set(descriptor, file)
  }

  /** Runs the commands that were started since there were `before` of them, and passes on what they print. */
  async end(
    state: CollectingState,
    before: number,
    run: (script: Node) => Promise<unknown>,
    print: (printed: unknown) => void,
  ): Promise<void> {
    for (const { body, file, text } of this.#collected.slice(before)) {
      for (const [descriptor, entry] of state.fileDescriptors ?? [])
        if (entry === file) state.fileDescriptors?.delete(descriptor)
      const { groupStdin } = state
      state.groupStdin = text
      try {
        const group = { type: "Group", body, redirections: [] }
        print(await run({ type: "Script", statements: [statement(group)] }))
      } finally {
        state.groupStdin = groupStdin
      }
    }
    this.#collected = this.#collected.slice(0, before)
  }
}

const isCollecting = (redirection: Node): boolean => commandsOf(redirection) !== null

const encoded = (text: string): string => Buffer.from(text, "utf8").toString("latin1")
