// Receives a turn; returns the events that send the model its project's instructions: new and changed ones at a turn's
// start, and those of a folder after the calls of an answer have read or changed a file there.
// Invariant: without `settingSources` no file is read; instructions that the model has received are not sent again.
import * as Effect from "effect/Effect"
import type { InstructionsLoaded, LoadedInstructions } from "../../schemas/log/project-events.ts"
import { EventNames, type NewEvent } from "../../schemas/log/events.ts"
import { isPlainObject } from "../../schemas/plain-object.ts"
import type { Call } from "../calls/call.ts"
import { fire } from "../calls/hook-events.ts"
import { matchesGlob, pathOf } from "../calls/judged-call.ts"
import type { Hooks, Turn, TurnContext } from "../ports.ts"
import { instructionsFor, readInstructions } from "./instructions.ts"
import { analyzeShell } from "../../shell/syntax/analysis.ts"
import { readTool } from "../../tools/files/read.ts"
import { ProjectReader } from "./project-reader.ts"

type Loading = Effect.Effect<ReadonlyArray<NewEvent>, never, Hooks | TurnContext>

const NOTHING: Loading = Effect.succeed([])

const sourcesOf = ({ options }: Turn) => (options.settingSources ?? []).filter((source) => source !== "user")

/** At the start of a turn: instructions that are new, changed or removed. */
export const loadInstructions = (turn: Turn): Loading => {
  const sources = sourcesOf(turn)
  const known = turn.memory.project.instructions
  if (sources.length === 0 && known.size === 0) return NOTHING
  const files = sources.length === 0 ? [] : readInstructions(readerOf(turn), sources)
  const changed = files.filter(({ path, hash }) => known.get(path)?.hash !== hash)
  const now = new Set(files.map(({ path }) => path))
  const gone = [...known].flatMap(([path, { nested }]) => (nested || now.has(path) ? [] : [path]))
  const read = { files: changed, ...(gone.length === 0 ? {} : { gone }) }
  // As in the official SDK: InstructionsLoaded hooks are called once for each file, and after a resume for all files again.
  // They are not called for a subagent, because it uses the instructions that its session has already loaded.
  const announced = turn.startSource === "resume" ? files : changed
  return loaded(turn, read, turn.agent === undefined ? announced : [])
}

/** When the conversation restarts: all instructions of the session's directory again, but not those of folders below. */
export const instructionsAgain = (turn: Turn): Loading => {
  const sources = sourcesOf(turn)
  if (sources.length === 0 || turn.memory.project.instructions.size === 0) return NOTHING
  const files = readInstructions(readerOf(turn), sources)
  const again = files.map((file) =>
    file.load_reason === "include" ? file : { ...file, load_reason: "compact" as const },
  )
  return loaded(turn, { files: again })
}

/**
 * When the conversation restarts: those of the folders of files that the model is sent again. As in the official SDK, no hook
 * is called for them.
 */
export const nestedAgain = (turn: Turn, paths: ReadonlyArray<string>): Loading => {
  const sources = sourcesOf(turn)
  if (sources.length === 0 || paths.length === 0) return NOTHING
  const reader = readerOf(turn)
  const sent = new Set([...paths, ...readInstructions(reader, sources).map(({ path }) => path)])
  const files: Array<LoadedInstructions> = []
  for (const path of paths) {
    const found = instructionsFor(reader, sources, path, [...sent, ...files.map((file) => file.path)], matchesGlob)
    files.push(...found)
  }
  return loaded(turn, { files }, [])
}

/**
 * To be called before a call runs: notes the files that it uses, in the directory that it starts in. Returns what is to be loaded
 * with its result: nothing for a call of the model, since `loadNested` follows it.
 */
export const noteUsedFiles = (turn: Turn, call: Call): Loading => {
  if (sourcesOf(turn).length === 0) return NOTHING
  const files = filesOf(call, turn)
  if (turn.memory.accounting.tally?.calls.has(call.use.id) !== true)
    return Effect.suspend(() => loadNestedOf(turn, existing(turn, files)))
  turn.run.usedFiles.set(call.use.id, files)
  return NOTHING
}

/**
 * After the calls of an answer: the instructions of the folders of the files that they read or changed. As in the official SDK,
 * they follow the PostToolBatch hooks, and are not loaded when a hook ends the turn. As there, those of a Read are loaded
 * even if it fails, for instance because there is no such file.
 */
export const loadNested = (turn: Turn): Loading => {
  const { tally } = turn.memory.accounting
  if (sourcesOf(turn).length === 0 || tally === null || tally.halted) return NOTHING
  const { usedFiles } = turn.run
  const files = tally.batch.flatMap(({ id, failed }) => {
    const used = usedFiles.get(id) ?? (failed ? [] : loggedFilesOf(turn, id))
    if (turn.memory.transcript.toolUse(id)?.name === readTool.name) return used
    return failed ? [] : existing(turn, used)
  })
  usedFiles.clear()
  return loadNestedOf(turn, files)
}

const existing = ({ workspace }: Turn, paths: ReadonlyArray<string>): ReadonlyArray<string> =>
  paths.filter((path) => workspace.exists(path))

/** The files of a call that ran before a restart. */
const loggedFilesOf = (turn: Turn, id: string): ReadonlyArray<string> => {
  const use = turn.memory.transcript.toolUse(id)
  const tool = use === undefined ? undefined : turn.toolByName(use.name)
  return use === undefined || tool === undefined ? [] : filesOf({ use, tool, input: use.input }, turn)
}

/** The most files of a script that are considered. */
const MAX_FILES = 20

/** The files that a call uses; as in the official SDK, including those that a script names. */
const filesOf = (call: Call, turn: Turn): ReadonlyArray<string> => {
  const { cwd, root } = turn
  const command = isPlainObject(call.input) ? call.input["command"] : undefined
  if (call.tool.name !== "Bash" || typeof command !== "string") {
    const path = pathOf(call, turn)
    return path === undefined ? [] : [path]
  }
  const paths = analyzeShell(command, cwd, root).steps.flatMap((step) => [...step.paths, ...step.from])
  return [...new Set(paths)].slice(0, MAX_FILES)
}

/** The instructions of the folders of files that the model has been shown, or has tried to read. */
export const loadNestedOf = (turn: Turn, paths: ReadonlyArray<string>): Loading => {
  const sources = sourcesOf(turn)
  const { workspace } = turn
  const triggers = paths.filter((path) => !workspace.isDirectory(path))
  if (sources.length === 0 || triggers.length === 0) return NOTHING
  const reader = readerOf(turn)
  const known = [...turn.memory.project.instructions].filter(([path, { hash }]) => reader.hashOf(path) === hash)
  const files: Array<LoadedInstructions> = []
  for (const trigger of triggers) {
    // The trigger files themselves are left out: the model has just been shown them.
    const read = [...triggers, ...known.map(([path]) => path), ...files.map(({ path }) => path)]
    files.push(...instructionsFor(reader, sources, trigger, read, matchesGlob))
  }
  return loaded(turn, { files })
}

const readerOf = ({ workspace, root, policy }: Turn): ProjectReader => new ProjectReader(workspace, root, policy)

/** `announced` are the files whose hooks are called. */
const loaded = (turn: Turn, read: InstructionsLoaded, announced = read.files): Loading => {
  const isEmpty = read.files.length === 0 && read.gone === undefined
  if (isEmpty && announced.length === 0) return NOTHING
  const event: NewEvent = { name: EventNames.instructionsLoaded, payload: read, turn: turn.id }
  return Effect.map(
    Effect.forEach(announced, (file) => fire("InstructionsLoaded", factsOf(file))),
    (fired) => [...fired.flatMap(({ events }) => events), ...(isEmpty ? [] : [event])],
  )
}

/** The input of the InstructionsLoaded hook, as in the official CLI. */
const factsOf = ({ path, hash: _, text: _text, ...why }: LoadedInstructions): Record<string, unknown> => ({
  file_path: path,
  ...why,
})
