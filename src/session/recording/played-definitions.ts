// The definitions of the tenant when a session was recorded, for a session that plays the recording.
// Invariant: the definitions of the playback's own tenant are not read: they may differ.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { RecordingReader } from "../../recording/recording.ts"
import { hashRequest, type Json } from "../../recording/request-hash.ts"
import { StoredDefinitions } from "../../schemas/definitions.ts"
import type { Ordinals } from "./ordinals.ts"
import { DEFINITIONS } from "./outside-requests.ts"
import type { NewRow } from "./recorded-table.ts"

const { version, values } = StoredDefinitions.fields
const decode = Schema.decodeUnknownEffect(Schema.Struct({ version, values }))

/** The next definitions that were recorded, or the last ones again; null when there were none. `used` is called with new ones. */
export const playDefinitions = Effect.fnUntraced(function* (
  reader: RecordingReader,
  ordinals: Ordinals,
  used: (answer: Pick<NewRow, "kind" | "hash" | "ordinal">) => void,
): Effect.fn.Return<StoredDefinitions | null> {
  const { hash } = hashRequest(DEFINITIONS)
  const ordinal = ordinals.take("tool", hash)
  const next = yield* reader.find("tool", hash, ordinal)
  if (next !== null) {
    used({ kind: "tool", hash, ordinal })
    return yield* definitionsOf(next.response)
  }
  ordinals.release("tool", hash, ordinal)
  const last = ordinal === 0 ? null : yield* reader.find("tool", hash, ordinal - 1)
  return last === null ? null : yield* definitionsOf(last.response)
})

/** Secrets are not recorded. */
const definitionsOf = (response: Json): Effect.Effect<StoredDefinitions> =>
  Effect.orDie(Effect.map(decode(response), (read) => ({ ...read, sealed: {} })))
