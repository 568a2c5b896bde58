// What `perch/client` exports: the function with which the official Node SDK drives a Perch server in place of its
// local process, and the portable client and the functions for folders.
// Invariant: its types name nothing but Node's own, so that apps need no other types to use it.
import type { Readable, Writable } from "node:stream"
import { type FolderOptions, SessionFolders } from "./files/session-folders.ts"
import { TIMING } from "./connection.ts"
import { PerchProcess } from "./process.ts"
import { PerchServer } from "./server.ts"

export * from "./api/entry.ts"
export { type SyncReport, TooLargeError } from "./files/push.ts"
export { type FolderSync, pull, push } from "./files/sync.ts"
export type { FolderOptions, SyncEvent } from "./files/session-folders.ts"
export type { Selection } from "./files/ignore-rules.ts"
export type { LeftOut } from "./files/local-tree.ts"

export interface PerchOptions extends FolderOptions {
  /** The server's address, such as `https://perch.example.workers.dev`. */
  readonly url: string
  /** A key of that server: `perch_…`, or the root key. */
  readonly apiKey: string
  /** A session to use, made when there is none. Without it each `query()` has the session that its options ask for. */
  readonly sessionId?: string
  /** Names of variables of `options.env` (or of this process) that the session's Bash gets; nothing else of it is sent. */
  readonly env?: ReadonlyArray<string>
  /**
   * Also writes the conversation to the local transcript files, so that the SDK's session functions on this machine
   * (listSessions, getSessionMessages, forkSession …) find it; a session of such a file that the server does not have
   * begins there with what the file holds. Default false.
   */
  readonly transcripts?: boolean
}

/** What the SDK gives to `spawnClaudeCodeProcess`. */
export interface SpawnOptions {
  readonly command: string
  readonly args: Array<string>
  readonly cwd?: string
  readonly env: { readonly [name: string]: string | undefined }
  readonly signal: AbortSignal
}

/** What the SDK takes back: a process, as far as it looks at one. */
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
 * Makes the function that the official SDK takes as `options.spawnClaudeCodeProcess`. Each call opens a session on the
 * server, or attaches to one, and carries the SDK's lines both ways until the SDK ends it. What keeps a session from
 * opening comes as a result of subtype `error_during_execution`, which `query()` throws. A broken connection is made
 * again, up to five times in a row, without losing a line. Exit code 0, or 1 when the last result was an error, or 143
 * when it was killed; that also interrupts a prompt that runs.
 *
 * Throws a TypeError when `url` or `apiKey` cannot be one.
 */
export const spawnPerch = (perch: PerchOptions): ((options: SpawnOptions) => SpawnedProcess) => {
  const { url, apiKey, sessionId, env = [], transcripts = false } = perch
  const server = new PerchServer(url, apiKey)
  return (options) => {
    const folders = new SessionFolders(perch)
    return new PerchProcess(server, options, sessionId, TIMING, { folders, envNames: env, transcripts })
  }
}

/**
 * The two options that the official SDK needs, to be spread into those of `query()`. `pathToClaudeCodeExecutable` names
 * no file: without it the SDK refuses to start where its own executable is not installed.
 */
export const perch = (
  options: PerchOptions,
): {
  spawnClaudeCodeProcess: (options: SpawnOptions) => SpawnedProcess
  pathToClaudeCodeExecutable: string
} => ({ spawnClaudeCodeProcess: spawnPerch(options), pathToClaudeCodeExecutable: "perch" })
