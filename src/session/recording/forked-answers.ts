// Receives the parent of a fork that is recorded; copies what the parent has recorded, so that the fork's recording is
// complete.
// Invariant: a fork is recorded from the start of its parent, or not at all.
import type { ForkArgs } from "../../schemas/rpc/fork.ts"
import type { RpcResult } from "../../schemas/errors/rpc-error.ts"
import type { RecordedPage } from "../../schemas/rpc/recorded-page.ts"
import type { SessionOptions } from "../../schemas/sdk/options/options.ts"
import { type Refusal, refuse } from "../refusal.ts"
import type { Sql } from "../storage/tables.ts"
import { FIRST_ANSWER } from "./recorded-page.ts"
import { RecordedTable } from "./recorded-table.ts"

type Options = Pick<SessionOptions, "runtime">

/**
 * Why a fork with these options can't be made, or undefined. Which answers belong to the log before a place in its middle is
 * not known.
 */
export const recordedForkRefusal = (
  { runtime: parent }: Options,
  { runtime }: Options,
  { at }: Pick<ForkArgs, "at">,
): Refusal | undefined => {
  if (runtime?.mode !== "record") return undefined
  if (parent?.mode !== "record")
    return conflict(
      "The session was not recorded, so a fork of it can't be recorded. Fork a recorded session, or create one.",
    )
  return at === undefined
    ? undefined
    : conflict("A fork from the middle of a session can't be recorded. Fork it from its end.")
}

const conflict = (message: string): Refusal => refuse("conflict_error", message, "options.runtime")

export const copyAnswers = async (
  { sql, transactionSync }: { readonly sql: Sql; readonly transactionSync: <A>(run: () => A) => A },
  pageOf: (after: string) => Promise<RpcResult<RecordedPage>>,
): Promise<Refusal | undefined> => {
  const table = new RecordedTable(sql)
  for (let after: string | null = FIRST_ANSWER; after !== null;) {
    const page: RpcResult<RecordedPage> = await pageOf(after)
    if (!page.ok) return { refused: page.error }
    const { answers, chunks, next } = page.value
    transactionSync(() => {
      for (const { request, response, ...row } of answers)
        table.add({ ...row, request: JSON.stringify(request), response: JSON.stringify(response) })
      const given = Object.entries(chunks).map(([hash, chunk]) => [hash, JSON.stringify(chunk)] as const)
      if (given.length > 0) table.addChunks(given)
    })
    after = next
  }
  return undefined
}
