// Receives the entries of a transcript in the order of its file, and a chain of them by `parentUuid`; returns the chain with
// all of its parallel calls.
// Invariant: the official SDK writes an entry for each block of an answer, and a call's result follows the entry of the call, so
// a chain has one of several results. The others are added in the order of the file; no call gets a second result.
import { isPlainObject } from "../../schemas/plain-object.ts"
import type { Entry } from "./transcript.ts"

export const withParallelCalls = (entries: ReadonlyArray<Entry>, chain: ReadonlyArray<Entry>): ReadonlyArray<Entry> => {
  const linked = new Set(chain.map(({ uuid }) => uuid))
  const known = new Set(chain.flatMap(({ message }) => messageId(message)))
  const settled = new Set(chain.flatMap(({ message }) => settledBy(message)))
  /** By the id of an answer: its entries and the results of its calls. */
  const groups = new Map<string, Array<Entry>>()
  /** Ids of answers with entries or results that are not in the chain. */
  const wider = new Set<string>()
  /** By the uuid of an entry: the id of the answer whose group it is in. */
  const groupOf = new Map<unknown, string>()
  for (const entry of entries) {
    const { uuid, parentUuid, message, isSidechain } = entry
    const calls = settledBy(message)
    const [id = calls.length > 0 ? groupOf.get(parentUuid) : undefined] = messageId(message)
    if (id === undefined || !known.has(id)) continue
    if (!linked.has(uuid)) {
      if (isSidechain === true || calls.some((call) => settled.has(call))) continue
      for (const call of calls) settled.add(call)
      wider.add(id)
    }
    groupOf.set(uuid, id)
    const group = groups.get(id) ?? []
    group.push(entry)
    groups.set(id, group)
  }
  return chain.flatMap((entry) => {
    const id = groupOf.get(entry["uuid"])
    if (id === undefined || !wider.has(id)) return [entry]
    const group = groups.get(id) ?? []
    groups.delete(id)
    return [...group.filter(({ type }) => type === "assistant"), ...group.filter(({ type }) => type !== "assistant")]
  })
}

/** The id of the answer that a message is a block of; none for a user's message. */
const messageId = (message: unknown): ReadonlyArray<string> =>
  isPlainObject(message) && message["role"] === "assistant" && typeof message["id"] === "string" ? [message["id"]] : []

/** The ids of the calls whose results a message has. */
const settledBy = (message: unknown): ReadonlyArray<unknown> => {
  const content = isPlainObject(message) ? message["content"] : undefined
  if (!Array.isArray(content)) return []
  return content.flatMap((block: unknown) =>
    isPlainObject(block) && block["type"] === "tool_result" ? [block["tool_use_id"]] : [],
  )
}
