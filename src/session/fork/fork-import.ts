// The child's side of a fork: receives the parent's pages; writes its log, its prompts and its files as the child's own.
// Invariant: until `finishFork` the session does not exist; the mark in meta says that the rows may be removed.
import { isLasting } from "../../permissions/policy.ts"
import { keptOptions } from "../prompts/kept-options.ts"
import { overlaid } from "../../schemas/sdk/options/variants.ts"
import type { ProjectSettings } from "../../agent/project/project-settings.ts"
import { release } from "../../net/release.ts"
import type { RpcResult } from "../../schemas/errors/rpc-error.ts"
import type { ExportCut, ExportedChunk, ExportedEvent, ExportStart, ForkArgs } from "../../schemas/rpc/fork.ts"
import type { SessionRpc } from "../../schemas/rpc/session-rpc.ts"
import { fromStoredText, hashesOf } from "../../schemas/log/media-mark.ts"
import { Blobs } from "../../workspace/blobs.ts"
import { Workspace } from "../../workspace/workspace.ts"
import { Inbox } from "../storage/inbox.ts"
import { logText, SessionLog } from "../storage/log.ts"
import { forkedRuntime, withRuntime } from "../recording/runtime-option.ts"
import { Meta, type SessionRecord } from "../storage/meta.ts"
import { createTables, type Sql } from "../storage/tables.ts"
import { joinBytes } from "../../net/join-bytes.ts"

/** Blobs that one call asks for. */
const HASHES = 200

export type ForkSource = Pick<SessionRpc, "exportLog" | "exportFiles" | "exportBlobs">

export interface ForkImportDeps {
  readonly sql: Sql
  readonly transactionSync: <A>(run: () => A) => A
  readonly now: () => number
  readonly tenant: string
  readonly id: string
  readonly source: ForkSource
}

/** Copies the parent's log and files; rejects when the parent or the storage fails, and the caller then removes everything. */
export const importFork = async (
  deps: ForkImportDeps,
  parent: string,
  { cut, session }: ExportStart,
): Promise<void> => {
  const { sql, transactionSync, now } = deps
  transactionSync(() => {
    createTables(sql)
    new Meta(sql).set("forking", { parent })
  })
  const workspace = new Workspace({ sql, transactionSync }, now, { directories: [session.cwd] })
  await copyLog(deps, cut)
  await copyFiles(deps, cut, workspace)
}

const copyLog = async (deps: ForkImportDeps, cut: ExportCut): Promise<void> => {
  const { sql, transactionSync, now, source } = deps
  const log = new SessionLog({ sql, transactionSync, now, newUuid: () => crypto.randomUUID() })
  const inbox = new Inbox(sql)
  for (let after: number | null = 0; after !== null;) {
    const page: Awaited<ReturnType<typeof source.exportLog>> = await source.exportLog({ cut, after })
    const { events, next } = valueOf(page)
    const long = new Map<string, string>()
    for (const { blob } of events) {
      if (blob === null) continue
      for await (const [hash, bytes] of contents(source, [blob])) long.set(hash, new TextDecoder().decode(bytes))
    }
    const texts = events.map(({ json, blob }) => json ?? long.get(blob ?? "") ?? "")
    const media = texts.flatMap((text, index) => (events[index]?.marked === true ? hashesOf(text) : []))
    await copyBlobs(deps, new Blobs(sql), media)
    transactionSync(() => {
      for (const [index, event] of events.entries()) {
        const { json: _, blob: __, marked: ___, prompt, ...placed } = event
        log.copy(placed, jsonOf(log, event, texts[index] ?? "", deps.id))
        if (prompt === undefined || event.turn === null) continue
        inbox.add({ turn: event.turn, seq: event.seq, fingerprint: prompt.fingerprint })
        inbox.settle(event.turn, prompt.result_seq)
      }
    })
    after = next
  }
}

/**
 * The JSON of an event for the child: SDK messages get the child's session id, Perch's own events stay as they are. Media
 * that an earlier version stored within the text are moved to blobs.
 */
const jsonOf = (log: SessionLog, { name, blob, marked }: ExportedEvent, stored: string, id: string): string => {
  const json = marked ? fromStoredText(stored) : stored
  if (!name.startsWith("sdk:") && blob === null) return json
  // Can't fail: messages of the log are objects.
  const given = JSON.parse(logText(json)) as Readonly<Record<string, unknown>>
  const message = log.media.hold(name, given) as Readonly<Record<string, unknown>>
  if (name.startsWith("sdk:") && typeof message["session_id"] === "string") {
    return JSON.stringify({ ...message, session_id: id })
  }
  return message === given ? json : JSON.stringify(message)
}

const copyFiles = async (deps: ForkImportDeps, cut: ExportCut, workspace: Workspace): Promise<void> => {
  const { transactionSync, source } = deps
  for (let after: string | null = ""; after !== null;) {
    const page: Awaited<ReturnType<typeof source.exportFiles>> = await source.exportFiles({ cut, after })
    const { files, next } = valueOf(page)
    await copyBlobs(
      deps,
      workspace.blobs,
      files.map(({ hash }) => hash),
    )
    transactionSync(() => workspace.apply(files.map(({ path, ...node }) => [path, node] as const)))
    after = next
  }
}

/** Copies the blobs that are missing here, a chunk at a time. */
const copyBlobs = async (
  { source, transactionSync }: Pick<ForkImportDeps, "source" | "transactionSync">,
  blobs: Blobs,
  hashes: ReadonlyArray<string>,
): Promise<void> => {
  const missing = [...new Set(hashes)].filter((hash) => !blobs.hasBlob(hash))
  let writer: ReturnType<Blobs["writer"]> | null = null
  for await (const { hash, last, data } of chunksOf(source, missing)) {
    writer ??= blobs.writer(hash)
    const { add, end } = writer
    transactionSync(() => add(data))
    release(data)
    if (!last) continue
    end()
    writer = null
  }
}

/** The contents of blobs, one in memory at a time. */
async function* contents(
  source: ForkSource,
  hashes: ReadonlyArray<string>,
): AsyncGenerator<readonly [hash: string, bytes: Uint8Array]> {
  let chunks: Array<Uint8Array> = []
  for await (const { hash, last, data } of chunksOf(source, hashes)) {
    chunks.push(data)
    if (!last) continue
    yield [hash, joinBytes(chunks)]
    chunks = []
  }
}

/** The chunks of blobs, in their order. */
async function* chunksOf(source: ForkSource, hashes: ReadonlyArray<string>): AsyncGenerator<ExportedChunk> {
  let from = 0
  for (let left = hashes; left.length > 0;) {
    const page = valueOf(await source.exportBlobs({ hashes: left.slice(0, HASHES), from }))
    if (page.length === 0) throw new Error("the parent returned no content")
    for (const chunk of page) {
      yield chunk
      from = chunk.last ? 0 : from + 1
      if (chunk.last) left = left.slice(1)
    }
  }
}

/** The parent was erased during the fork. */
export class ParentLost extends Error {}

const valueOf = <A>(result: RpcResult<A>): A => {
  if (result.ok) return result.value
  throw new ParentLost(result.error.message)
}

/** The record of the child, without the permission updates that applied to the parent's session alone. */
export const forkedRecord = (
  deps: Pick<ForkImportDeps, "tenant" | "id" | "now">,
  { session }: ExportStart,
  args: ForkArgs,
): SessionRecord => ({
  id: deps.id,
  tenant: deps.tenant,
  cwd: session.cwd,
  title: args.title === undefined ? session.title : args.title,
  metadata: args.metadata ?? session.metadata,
  options: {
    ...withRuntime({}, args.merge ? overlaid(session.options, args.options) : args.options),
    ...(args.merge ? {} : keptOptions(session.options, args.options)),
    ...forkedRuntime(session.options, args.options),
  },
  fingerprint: args.fingerprint ?? null,
  permission_updates: session.permission_updates.filter(isLasting),
  created_at: deps.now(),
})

/**
 * Makes the session exist. Call it in the transaction that writes its first event. Copied events count as delivered: D1 and
 * the Queue get the child's events from here on.
 */
export const finishFork = (
  sql: Sql,
  record: SessionRecord,
  { project_settings: settings }: Pick<ExportStart, "project_settings">,
  { options }: Pick<ForkArgs, "options">,
): void => {
  const meta = new Meta(sql)
  const { seq } = sql.exec<{ seq: number }>("SELECT COALESCE(MAX(seq), 0) AS seq FROM events").one()
  meta.delete("forking")
  meta.set("session", record)
  meta.set("outbox", { d1_seq: seq, queue_seq: seq, stored_seq: seq })
  // A client that sets the sources accepts the files as they are.
  if (settings !== undefined && options.settingSources === undefined) {
    // The parent's object wrote them.
    meta.set("project_settings", settings as Readonly<Record<string, ProjectSettings>>)
  }
  meta.set("starting", "resume")
}
