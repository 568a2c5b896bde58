// Sessions and their copies in memory, for the tests of one file: the work of the child's object and the parent's stub.
import { serialize } from "node:v8"
import type { RpcResult } from "../../../src/schemas/errors/rpc-error.ts"
import type { ForkArgs } from "../../../src/schemas/rpc/fork.ts"
import { ForkExport } from "../../../src/session/fork/fork-export.ts"
import { finishFork, forkedRecord, type ForkSource, importFork } from "../../../src/session/fork/fork-import.ts"
import { isRefusal } from "../../../src/session/refusal.ts"
import type { ScriptedApi } from "../../support/session/scripted-api.mjs"
import { loop } from "../../support/session/loop.ts"
import { promptFor, scriptName } from "../../support/session/scripts.ts"
import { type Booted, prompt, SessionHarness } from "../../support/session/session-harness.ts"

export const PAGE = 4 * 1024 * 1024
export const CHILD = "0199a000-0000-7000-8000-00000000c41d"
export const PARENT = "0199a000-0000-7000-8000-00000000abcd"
export const BYPASS = { permissionMode: "bypassPermissions" } as const

export const exporting = ({ session }: Booted) => new ForkExport(session)

interface Pages extends ForkSource {
  readonly sizes: Array<number>
}

/** The parent as the child's stub sees it: answers are copies, and none is larger than a page. */
export const sourceOf = (forkExport: ForkExport, between: () => void = () => undefined): Pages => {
  const sizes: Array<number> = []
  const answer = async <A>(value: A): Promise<RpcResult<A>> => {
    sizes.push(serialize(value).byteLength)
    const copy = structuredClone(value)
    between()
    return { ok: true, value: copy }
  }
  return {
    sizes,
    exportLog: ({ cut, after }) => answer(forkExport.events(cut, after)),
    exportFiles: ({ cut, after }) => answer(forkExport.files(cut, after)),
    exportBlobs: ({ hashes, from }) => answer(forkExport.blobs(hashes, from)),
  }
}

/** The arguments of a fork that changes nothing. */
const ARGS: ForkArgs = { parent: PARENT, options: {}, merge: true }

/** Registers the API of a test file; call it once, at the top. */
export const forks = () => {
  const sessions = loop()

  const harnessed = (): SessionHarness => {
    const harness = sessions.harnessOf()
    return harness
  }

  const session = () => {
    const harness = harnessed()
    return { harness, booted: harness.boot() }
  }

  /** Runs prompts against their scripts, one after the other. */
  const run = async (
    booted: Booted,
    ...turns: ReadonlyArray<Parameters<ScriptedApi["set"]>[1]>
  ): Promise<Array<string>> => {
    const ids: Array<string> = []
    for (const script of turns) {
      const name = scriptName("fork")
      sessions.api.set(name, script)
      ids.push(prompt(booted.session, promptFor(name)))
      await booted.idle()
    }
    return ids
  }

  /** Does what the child's object does. */
  const fork = async (booted: Booted, args: Partial<ForkArgs> = {}, between?: () => void) => {
    const forkExport = exporting(booted)
    const started = forkExport.start(args.at)
    if (isRefusal(started)) return started
    const source = sourceOf(forkExport, between)
    const harness = harnessed()
    const { sql, transactionSync } = harness.twin
    const deps = { sql, transactionSync, now: () => Date.now(), tenant: "test", id: CHILD, source }
    await importFork(deps, PARENT, started)
    finishFork(sql, forkedRecord(deps, started, { ...ARGS, ...args }), started, { ...ARGS, ...args })
    const child = harness.boot()
    child.session.resumption.beginFork(PARENT, started.head)
    return { harness, booted: child, sizes: source.sizes, through: started.cut.through }
  }

  const forked = async (...args: Parameters<typeof fork>) => {
    const result = await fork(...args)
    if (isRefusal(result)) throw new Error(result.refused.message)
    return result
  }

  /** The last request that the model received. */
  const lastRequest = () =>
    sessions.api.log.at(-1)?.body as { readonly messages: ReadonlyArray<{ role: string; content: unknown }> }

  return {
    get api() {
      return sessions.api
    },
    harnessed,
    session,
    run,
    fork,
    forked,
    lastRequest,
  }
}
