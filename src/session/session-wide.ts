// Options of a session as a whole: how much its workspace may hold, and whether it is kept. Receives the session's options
// and those of a prompt; returns why the prompt may not bring them.
// Invariant: a prompt can't override them: it repeats the session's values, or it is refused.
import type { SessionOptions, WorkspaceLimits } from "../schemas/sdk/options/options.ts"
import { type Refusal, refuse } from "./refusal.ts"

type SessionWide = Pick<SessionOptions, "workspace_limits" | "persistSession">

export const sameLimits = (a: WorkspaceLimits = {}, b: WorkspaceLimits = {}): boolean =>
  a.files === b.files && a.bytes === b.bytes && a.file_bytes === b.file_bytes

/** Why a prompt with these options is refused; undefined when it is not. */
export const sessionWideRefusal = (session: SessionWide, prompt: SessionWide): Refusal | undefined => {
  const { workspace_limits: limits, persistSession: keeps } = prompt
  if (limits !== undefined && !sameLimits(limits, session.workspace_limits)) return heldBySession("workspace_limits")
  return keeps === undefined || keeps === (session.persistSession ?? true) ? undefined : heldBySession("persistSession")
}

const heldBySession = (name: keyof SessionWide): Refusal =>
  refuse(
    "conflict_error",
    `options.${name} applies to the whole session, and this prompt's value differs from it. Leave it out, or change it with PATCH /v1/sessions/{id}.`,
    `options.${name}`,
  )
