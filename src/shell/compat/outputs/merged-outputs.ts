// Commands whose two outputs have one target: `cmd 2>&1`, `cmd > file 2>&1`, `cmd &> file`, `cmd |& next`. The interpreter would write
// all of stdout and then all of stderr.
// Receives a pipeline or a command; returns it in a form in which `2>&1` is the last redirection of a command and the only one of
// its outputs, so that its result can be put in the order of printing.
// Invariant: each output goes to the same target as before.
import { literalOf, nodesAt } from "../../syntax/node-fields.ts"
import { group, type Node, statement, text, wordOf } from "../../syntax/nodes.ts"

const MERGE: Node = { type: "Redirection", fd: 2, operator: ">&", target: wordOf(text("1")) }

const isMerge = (redirection: Node | undefined): boolean =>
  redirection?.["operator"] === ">&" && redirection["fd"] === 2 && literalOf(redirection["target"]) === "1"

/** True for a command that ends in `2>&1`. */
export const mergesOutputs = (node: unknown): boolean =>
  // A command from the interpreter's own parser.
  isMerge(nodesAt(node as Node, "redirections").at(-1))

/** The pipeline with `2>&1 |` in place of `|&`. */
export const withMergedPipes = (pipeline: Node): Node => {
  const { pipeStderr } = pipeline
  if (!Array.isArray(pipeStderr)) return pipeline
  const commands = nodesAt(pipeline, "commands").map((command, at) =>
    pipeStderr[at] === true ? { ...command, redirections: [...nodesAt(command, "redirections"), MERGE] } : command,
  )
  return { ...pipeline, commands, pipeStderr: [] }
}

const WRITES = /^(&?)(>>?|>\|)$/

/** True for a command whose redirections concern its shell: `exec > log`, or no command at all. */
const isOfShell = ({ name }: Node): boolean => name === null || literalOf(name) === "exec"

/** Rewrites `cmd > file 2>&1` to `{ cmd 2>&1; } > file`. `form` rewrites a command. */
export const withMergedOutputs = (node: Node, form: (command: Node) => Node): Node => {
  const before = [...nodesAt(node, "redirections")]
  const merges = isMerge(before.at(-1))
  if (merges) before.pop()
  const file = before.pop()
  const [, both, operator] = WRITES.exec(String(file?.["operator"])) ?? []
  const isFile = operator !== undefined && merges === (both === "") && (file?.["fd"] ?? 1) === 1
  // `3>&1 > file` copies what stdout was before.
  const copies = before.some((one) => one["operator"] === ">&")
  if (!isFile || copies || isOfShell(node) || literalOf(file?.["target"]) === "/dev/null") return form(node)
  const inner = form({ ...node, redirections: [...before, MERGE] })
  return form({ ...group([statement(inner)]), redirections: [{ ...file, operator }] })
}
