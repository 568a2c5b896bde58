// Receives a signal about changed files; returns its payload without digests of what the payload shows as well.
// Invariant: a file that is shown whole is compared by its text, in which ids and times make no difference; every other one
// by its digest.
import { isPlainObject } from "../schemas/plain-object.ts"
import type { Signal } from "../schemas/signal.ts"
import { isList, type Json } from "./request-hash.ts"

export const withoutDigests = ({ name, payload }: Signal): Json => {
  if (!isPlainObject(payload)) return payload
  if (name === "turn:patched") return without(payload, "hash")
  if (name !== "snapshot:taken") return payload
  const shown = shownPaths(payload["diffs"])
  const nodes = listIn(payload["nodes"]).map((entry) => {
    const node = isPlainObject(entry) && shown.has(entry["path"]) ? entry["node"] : undefined
    return isPlainObject(entry) && isPlainObject(node) ? { ...entry, node: without(node, "hash") } : entry
  })
  // Digests of whole trees, which hold those of their files.
  return { ...without(payload, "before", "snapshot"), nodes }
}

/** The paths of files whose texts, before and after, are whole. */
const shownPaths = (diffs: Json | undefined): ReadonlySet<unknown> =>
  new Set(
    listIn(diffs).flatMap((diff) =>
      isPlainObject(diff) && diff["binary"] !== true && diff["truncated"] !== true ? [diff["file"]] : [],
    ),
  )

const listIn = (value: Json | undefined): ReadonlyArray<Json> => (value !== undefined && isList(value) ? value : [])

const without = (
  fields: Readonly<Record<string, Json>>,
  ...names: ReadonlyArray<string>
): Readonly<Record<string, Json>> =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)))
