// What `perch/client` exports: the function with which the official Node SDK drives a Perch server in place of its
// local process, and the portable client and the functions for folders.
// Invariant: the exported types refer only to Node's own, so that apps need no other package's types.
import type { Readable, Writable } from "node:stream"
import { type FolderOptions, SessionFolders } from "./files/session-folders.ts"
import { TIMING } from "./connection.ts"
import { PerchProcess } from "./process.ts"
import { PerchServer } from "./server.ts"

export * from "./api/entry.ts"
export { TooLargeError } from "./files/push.ts"
export type { SyncReport } from "./files/sync-options.ts"
export { type FolderSync, pull, push } from "./files/sync.ts"
export type { FolderOptions, SyncEvent } from "./files/session-folders.ts"
export type { Selection } from "./files/ignore-rules.ts"
export type { LeftOut } from "./files/local-tree.ts"

/** Options of `perch` and `spawnPerch`. */
export interface PerchOptions extends FolderOptions {
  /** The server's address, such as `https://perch.example.workers.dev`. */
  readonly url: string
  /** A key of that server: `perch_…`, or the root key. */
  readonly apiKey: string
  /** The session to use, created when it does not exist. Without it each `query()` uses the session that its options select. */
  readonly sessionId?: string
  /** Names of the variables of `options.env` (or of this process) that the session's Bash gets; it gets no others. */
  readonly env?: ReadonlyArray<string>
  /**
   * Also writes the conversation to the local transcript files, so that the SDK's session functions on this machine
   * (listSessions, getSessionMessages, forkSession …) find it. Resuming a session that the server does not have, but that
   * has such a file, creates it there with the file's conversation. Default false.
   */
  readonly transcripts?: boolean
}

/** The argument that the SDK passes to `spawnClaudeCodeProcess`. */
export interface SpawnOptions {
  readonly command: string
  readonly args: Array<string>
  readonly cwd?: string
  readonly env: { readonly [name: string]: string | undefined }
  readonly signal: AbortSignal
}

/** The value that the SDK expects in return: the members of a child process that it uses. */
export interface SpawnedProcess {
  readonly stdin: Writable
  readonly stdout: Readable
  readonly killed: boolean
  readonly exitCode: number | null
  readonly signalCode: NodeJS.Signals | null
  kill(signal?: NodeJS.Signals): boolean
  on(event: "exit", listener: (code: number | null, signal: NodeJS.Signals | null) => void): void
  on(event: "error", listener: (error: Error) => void): void
  once(event: "exit", listener: (code: number | null, signal: NodeJS.Signals | null) => void): void
  once(event: "error", listener: (error: Error) => void): void
  off(event: "exit", listener: (code: number | null, signal: NodeJS.Signals | null) => void): void
  off(event: "error", listener: (error: Error) => void): void
}

/**
 * Returns the function for the official SDK's `options.spawnClaudeCodeProcess`. Each call opens a session on the server, or
 * attaches to one, and relays lines between it and the SDK until the SDK ends it. When no session can be opened, the reason
 * is delivered as a result of subtype `error_during_execution`, which `query()` throws. A broken connection is reconnected,
 * up to five times in a row, without losing a line. The exit code is 0, or 1 when the last result was an error, or 143 when
 * the process was killed, which also interrupts a running prompt.
 *
 * Throws a TypeError when `url` is no http or https address, `apiKey` is empty or malformed, or `env` is no list of names.
 */
export const spawnPerch = (perch: PerchOptions): ((options: SpawnOptions) => SpawnedProcess) => {
  const { url, apiKey, sessionId, env = [], transcripts = false } = perch
  const server = new PerchServer(url, apiKey)
  checkNames(env)
  return (options) => {
    const folders = new SessionFolders(perch)
    return new PerchProcess(server, options, sessionId, TIMING, { folders, envNames: env, transcripts })
  }
}

/** Throws a TypeError unless `env` is a list of names: not an object as `options.env` is, and no `NAME=value`. */
const checkNames = (env: unknown): void => {
  if (Array.isArray(env) && env.every((name) => typeof name === "string" && /^[^=\0]+$/.test(name))) return
  throw new TypeError(
    'env must be a list of names of variables, such as ["NODE_ENV"]. Their values are read from options.env.',
  )
}

/**
 * Returns the two options that the official SDK needs, to spread into those of `query()`. `pathToClaudeCodeExecutable` names
 * no file; it is set because the SDK otherwise refuses to start where its own executable is not installed.
 * Throws a TypeError as `spawnPerch` does.
 */
export const perch = (
  options: PerchOptions,
): {
  spawnClaudeCodeProcess: (options: SpawnOptions) => SpawnedProcess
  pathToClaudeCodeExecutable: string
} => ({ spawnClaudeCodeProcess: spawnPerch(options), pathToClaudeCodeExecutable: "perch" })
