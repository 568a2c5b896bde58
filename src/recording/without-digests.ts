// Receives a signal about changed files; returns its payload without the digests of contents that the payload also shows.
// Invariant: a file that is shown completely is compared by its text, in which ids and times make no difference; every other
// file by its digest.
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
  // Digests of whole trees, which depend on the digests of all files.
  return { ...without(payload, "before", "snapshot"), nodes }
}

/** The paths of files whose texts, before and after, are shown completely. */
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
