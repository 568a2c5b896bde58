// Receives the arguments and environment with which the SDK would start a process; returns the session to open for it.
// Invariant: of the environment only a few variables are sent, as settings, and those that the app names; of this machine's
// paths only the directories of the run, which name directories of the session.
import path from "node:path"
import { EFFORTS } from "../../schemas/sdk/efforts.ts"
import { OPTION_STATUS } from "../../schemas/sdk/status/option-status.ts"
import { isPlainObject } from "../../schemas/plain-object.ts"
import { readArguments } from "./arguments.ts"
import { type Draft, type LaunchOptions, optionsOf } from "./draft.ts"
import type { SessionFolders } from "../files/session-folders.ts"
import type { InitializeDefaults } from "../initialize-line.ts"
import { LaunchError } from "./launch-error.ts"
import { systemPromptOf } from "./prompt-flags.ts"
import { type StateReports, stateReportsOf } from "../session-state.ts"
import type { SpawnOptions } from "../spawn.ts"

/** What `perch()` can do in addition to opening a session. */
export interface ProcessExtras {
  readonly folders?: SessionFolders
  /** Variables of the environment that the session's shell gets. */
  readonly envNames?: ReadonlyArray<string>
  /** The conversation is also written to the transcript files of this machine. */
  readonly transcripts?: boolean
  /** Receives why no session could be opened, or why it was lost, before the SDK does. */
  readonly failed?: (message: string) => void
}

export interface Launch {
  /** The body of `POST /v1/sessions`. */
  readonly body: {
    readonly id?: string
    readonly cwd?: string
    readonly on_exists?: "attach"
    readonly options: LaunchOptions
    /** The messages of a local transcript, for a session that the server does not have. */
    readonly history?: ReadonlyArray<unknown>
  }
  /** What the command line adds to the app's `initialize`. */
  readonly initialize: InitializeDefaults
  /** The app keeps a copy of the conversation in its own store. */
  readonly mirrored: boolean
  readonly stateReports: StateReports
}

const DEFAULT_CWD = "/workspace"
/** The largest `max_retries` that a session accepts. */
const MAX_RETRIES = 10

/** `sessionId` is the option of `spawnPerch`: that session is then used, with its own directory instead of `cwd`. */
export const launchOf = (
  spawn: Pick<SpawnOptions, "args" | "cwd" | "env">,
  sessionId?: string,
  envNames: ReadonlyArray<string> = [],
): Launch => {
  const draft = readArguments(spawn.args, spawn.cwd ?? ".")
  addTurnVariables(draft, spawn.env)
  const directories = additionalIn(draft.options).map((name) => absolute(name, spawn.cwd))
  const systemPrompt = systemPromptOf(draft.prompt, draft.cwd)
  const options = withoutLoneFork({
    ...optionsOf(draft),
    ...(systemPrompt === undefined ? {} : { systemPrompt }),
    ...(directories.length === 0 ? {} : { additionalDirectories: directories }),
    ...fromEnvironment(spawn.env, draft.options.settings),
    ...shellEnvironment(spawn.env, envNames),
  })
  const { id: named } = draft
  const id = idOf(options, named, sessionId)
  return {
    body: {
      ...(id === undefined ? {} : { id }),
      ...(sessionId === undefined ? { cwd: virtualPath(spawn.cwd) } : {}),
      // As in the official process, an id that the app chooses for a new session must not be in use.
      ...(named !== undefined && sessionId === undefined ? {} : { on_exists: "attach" as const }),
      options,
    },
    initialize: { hasPrompt: Object.keys(draft.prompt).length > 0, sdkServers: draft.sdkServers },
    mirrored: draft.mirrored,
    stateReports: stateReportsOf(spawn.env),
  }
}

/** As in the official CLI, `--fork-session` has no effect without a session to resume; the server refuses it. */
const withoutLoneFork = ({ forkSession, ...options }: LaunchOptions): LaunchOptions =>
  forkSession === undefined || (options.resume === undefined && options.continue !== true)
    ? options
    : { ...options, forkSession }

const idOf = (options: LaunchOptions, named: string | undefined, sessionId: string | undefined): string | undefined => {
  if (sessionId === undefined) return named
  const other = (option: string) =>
    new LaunchError(`options.${option} names another session than the sessionId ${sessionId} of spawnPerch`)
  if (named !== undefined && named !== sessionId) throw other("sessionId")
  if (options.forkSession === true) return sessionId
  if (options.continue === true) throw other("continue")
  if (options.resume !== undefined && options.resume !== sessionId) throw other("resume")
  return sessionId
}

/** Adds what the CLI's variables ask for. As in the official CLI, some win over the options, and some don't. */
const addTurnVariables = ({ options }: Draft, env: SpawnOptions["env"]): void => {
  const { ANTHROPIC_MODEL: model, CLAUDE_CODE_EFFORT_LEVEL: effort } = env
  // The model of `options.agent` wins over the variable.
  if (model && options.model === undefined && options.agent === undefined) options.model = model
  const thinking = wholeNumber("MAX_THINKING_TOKENS", env)
  if (thinking !== undefined && options.thinking === undefined) options.maxThinkingTokens = thinking
  if (effort === "auto") delete options.effort
  else if (EFFORTS.some((level) => level === effort)) options.effort = effort
  const turns = wholeNumber("CLAUDE_CODE_MAX_TURNS", env)
  if (turns !== undefined) options.maxTurns ??= turns
}

/** A variable that is a whole number; undefined if it is not set. */
const wholeNumber = (name: string, env: SpawnOptions["env"]): number | undefined => {
  const text = env[name]
  if (text === undefined || text === "") return undefined
  if (!/^\d{1,9}$/.test(text)) throw new LaunchError(`${name} must be a whole number, not ${text}`)
  return Number(text)
}

const fromEnvironment = (env: SpawnOptions["env"], settings: unknown): LaunchOptions => {
  // The SDK passes options.toolConfig only in this variable.
  if (env.CLAUDE_CODE_QUESTION_PREVIEW_FORMAT) {
    throw new LaunchError(`options.toolConfig ${OPTION_STATUS.toolConfig.note}`)
  }
  const retries = wholeNumber("CLAUDE_CODE_MAX_RETRIES", env)
  const checkpoints = env.CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING
  return {
    // Values above the session's limit are lowered to it: the variable was meant for another program.
    ...(retries === undefined ? {} : { max_retries: Math.min(retries, MAX_RETRIES) }),
    ...timeoutsFrom(env),
    ...(checkpoints === "true" || checkpoints === "1" ? { enableFileCheckpointing: true } : {}),
    ...settingsFrom(env, settings),
  }
}

/** Variables of the CLI that override settings of the app. */
const settingsFrom = (env: SpawnOptions["env"], settings: unknown): LaunchOptions => {
  const window = env["CLAUDE_CODE_AUTO_COMPACT_WINDOW"] ?? ""
  const ttl = env["CLAUDE_CODE_PROMPT_CACHE_TTL"] ?? ""
  const off = ["DISABLE_AUTO_COMPACT", "DISABLE_COMPACT"].some((name) => /^(1|true|yes|on)$/i.test(env[name] ?? ""))
  if (window === "" && ttl === "" && !off) return {}
  if (!/^\d{0,9}$/.test(window))
    throw new LaunchError(`CLAUDE_CODE_AUTO_COMPACT_WINDOW must be a number of tokens, not ${window}`)
  return {
    settings: {
      ...(isPlainObject(settings) ? settings : {}),
      ...(window === "" ? {} : { autoCompactWindow: Number(window) }),
      ...(ttl === "" ? {} : { promptCacheTtl: ttl }),
      ...(off ? { autoCompactEnabled: false } : {}),
    },
  }
}

/** The variables that the app names and that are set. */
const shellEnvironment = (env: SpawnOptions["env"], names: ReadonlyArray<string>): LaunchOptions => {
  const set = names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]))
  return set.length === 0 ? {} : { shell_env: Object.fromEntries(set) }
}

/** Variables of the CLI that limit a model request in ms, and the session's options for them; the last one that is set wins. */
const TIMEOUTS = [
  ["API_TIMEOUT_MS", "model_first_byte_timeout_ms"],
  ["CLAUDE_STREAM_FIRST_BYTE_TIMEOUT_MS", "model_first_byte_timeout_ms"],
  ["CLAUDE_STREAM_IDLE_TIMEOUT_MS", "model_idle_timeout_ms"],
] as const
const TIMEOUT_BOUNDS = { least: 1000, most: 1_800_000 }

const timeoutsFrom = (env: SpawnOptions["env"]): LaunchOptions => {
  const options: LaunchOptions = {}
  for (const [variable, option] of TIMEOUTS) {
    const text = env[variable]
    if (text === undefined || text === "") continue
    if (!/^\d{1,12}$/.test(text)) throw new LaunchError(`${variable} must be a number of milliseconds, not ${text}`)
    options[option] = Math.min(Math.max(Number(text), TIMEOUT_BOUNDS.least), TIMEOUT_BOUNDS.most)
  }
  return options
}

/** A POSIX absolute path names the same directory in the session; any other directory of this machine has no name there. */
const virtualPath = (cwd: string | undefined): string => {
  if (cwd === undefined || !cwd.startsWith("/")) return DEFAULT_CWD
  const normal = path.posix.normalize(cwd.replace(/^\/+/, "/"))
  return normal.length > 1 && normal.endsWith("/") ? normal.slice(0, -1) : normal
}

/** As in the official CLI: a relative directory is below the working directory. */
const absolute = (name: string, cwd = "."): string => (name.startsWith("/") ? name : path.resolve(cwd, name))

const additionalIn = ({ additionalDirectories: names }: LaunchOptions): ReadonlyArray<string> =>
  Array.isArray(names) ? names.filter((name) => typeof name === "string") : []

/** The directories that the run names in addition to its working directory. */
export const directoriesOf = ({ body }: Launch): ReadonlyArray<string> => additionalIn(body.options)
