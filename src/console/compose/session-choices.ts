// The models and permission modes that can be selected for a session.
// Invariant: a session's current model is always among the choices, even if the server's list does not contain it.
import type { Server } from "../app/server.ts"

export interface Choice {
  readonly value: string
  readonly title: string
}

export const MODES: ReadonlyArray<Choice> = [
  { value: "default", title: "Ask before changes" },
  { value: "acceptEdits", title: "Edit files without asking" },
  { value: "plan", title: "Plan: read only" },
  { value: "dontAsk", title: "Deny what would ask" },
  { value: "bypassPermissions", title: "Ask about nothing" },
]

/** The warning that must be confirmed before a session may do everything. */
export const BYPASS_WARNING =
  "Every tool runs without a question: commands, edits, requests to other hosts. Deny and ask rules still hold."

export const withCurrent = (choices: ReadonlyArray<Choice>, current: string | undefined): ReadonlyArray<Choice> =>
  current === undefined || choices.some(({ value }) => value === current)
    ? choices
    : [{ value: current, title: current }, ...choices]

interface Model {
  readonly id: string
  readonly display_name: string
}

const lists = new WeakMap<Server, Promise<ReadonlyArray<Choice>>>()

/** The models of the server, read once. After a failure, the next call reads them again. */
export const modelsOf = (server: Server): Promise<ReadonlyArray<Choice>> => {
  const known = lists.get(server)
  if (known !== undefined) return known
  const list = server.transport
    .json<{ data: ReadonlyArray<Model> }>("GET", "/v1/models")
    .then(({ data }) => data.map(({ id, display_name }) => ({ value: id, title: display_name })))
  lists.set(server, list)
  list.catch(() => lists.delete(server))
  return list
}
