// Runs one line of the table through the Bash tool on a fresh workspace; returns what it gave in the recording's form.
// Invariant: the tool is called as the loop calls it, and what is compared is what it returned and what it committed.
import { bashTool } from "../../../../src/tools/bash/bash.ts"
import type { Workspace } from "../../../../src/workspace/workspace.ts"
import { openContext, runAndCommit } from "../../../tools/tool-context.ts"
import { changesOf, ROOT, TREE } from "./tree.mjs"

export interface Recorded {
  readonly title: string
  readonly script: string
  readonly stdout: string
  readonly stderr: boolean
  readonly exitCode: number
  readonly changes: Readonly<Record<string, unknown>>
}

const makeTree = (workspace: Workspace): void => {
  for (const [name, entry] of Object.entries(TREE)) {
    const path = `${ROOT}/${name}`
    if (entry === null) workspace.mkdir(path, { recursive: true })
    else if (typeof entry === "string") workspace.writeBytes(path, entry)
    else if ("link" in entry) workspace.symlink(entry.link, path)
    else {
      workspace.writeBytes(path, entry[0])
      workspace.chmod(path, entry[1])
    }
  }
}

const readTree = (workspace: Workspace, folder = "", found: Record<string, unknown> = {}): Record<string, unknown> => {
  for (const { name, type } of workspace.readdir(`${ROOT}${folder}`)) {
    const path = `${ROOT}${folder}/${name}`
    const inner = `${folder}/${name}`.slice(1)
    const mode = workspace.lstat(path).mode & 0o777
    if (type === "symlink") found[inner] = { link: workspace.readlink(path) }
    else if (type === "directory") {
      found[inner] = { mode }
      readTree(workspace, `${folder}/${name}`, found)
    } else found[inner] = { mode, text: Buffer.from(workspace.readBytes(path)).toString("latin1") }
  }
  return found
}

const trimEnd = (text: string): string => text.replace(/\n+$/, "")

/** The tool shows a failed command as one text: its stdout, then its stderr. */
const ofFailure = (content: string, recorded: Recorded) => {
  const [, code = "", , printed = ""] = /^Exit code (\d+)(\n([\s\S]*))?$/.exec(content) ?? []
  const stdout = trimEnd(recorded.stdout)
  const whole = printed === stdout
  const begins = stdout === "" || printed.startsWith(`${stdout}\n`)
  return { exitCode: Number(code), stdout: whole || begins ? stdout : printed, stderr: !whole && begins }
}

/** What the line gives here; `stdout` without the newlines at its end. */
export const runLine = async (recorded: Recorded) => {
  const { context, workspace } = openContext({ directories: [ROOT] })
  makeTree(workspace)
  const before = readTree(workspace)
  // As in a bash of its own, a script may end anywhere.
  const anywhere = { ...context, inside: () => true }
  const outcome = await runAndCommit(bashTool, { command: recorded.script }, anywhere)
  const result =
    typeof outcome.output === "string"
      ? ofFailure(String(outcome.content), recorded)
      : // The tool's output of a command that went well is a BashOutput.
        ofSuccess(outcome.output as Printed, recorded)
  return { ...result, changes: changesOf(before, readTree(workspace)) }
}

interface Printed {
  readonly stdout: string
  /** What exit code 1 means where it is not a failure. */
  readonly returnCodeInterpretation?: string
}

/** The tool shows both outputs as one text, without blank lines before it and blanks after it. */
const ofSuccess = ({ stdout: printed, returnCodeInterpretation: meaning }: Printed, recorded: Recorded) => {
  const stdout = recorded.stdout.replace(/^(?:[^\S\n]*\n)+/, "").trimEnd()
  const isAll = printed === stdout || hasLines(printed, stdout) || hasBetweenMessages(printed, stdout)
  return {
    exitCode: meaning === undefined ? 0 : 1,
    stdout: isAll ? trimEnd(recorded.stdout) : printed,
    stderr: isAll && printed !== stdout,
  }
}

/** Whether the lines of `stdout` are in `printed`, in their order. */
const hasLines = (printed: string, stdout: string): boolean => {
  const expected = stdout === "" ? [] : stdout.split("\n")
  let found = 0
  for (const line of printed.split("\n")) if (found < expected.length && line === expected[found]) found += 1
  return found === expected.length
}

/** The same for a line of `stdout` in whose middle a message was printed. */
const hasBetweenMessages = (printed: string, stdout: string): boolean => {
  let found = 0
  for (let at = 0; at < printed.length; at += 1) {
    if (printed[at] === stdout[found]) found += 1
    else at = printed.indexOf("\n", at)
    if (at < 0) break
  }
  return found === stdout.length
}

/** What Debian gave, in the same form. */
export const expectedOf = ({ stdout, stderr, exitCode, changes }: Recorded) => ({
  exitCode,
  stdout: trimEnd(stdout),
  stderr,
  changes,
})
