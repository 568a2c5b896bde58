// Receives JSON text of a client, or of its hook; returns its value, or why it is refused.
// Invariant: nothing of it is dropped: a key that an object has twice is refused, because its values could
// contradict each other, and the parser would keep the last one.
import * as Result from "effect/Result"
import { type JsonRefusal, MAX_JSON_DEPTH, parseJson } from "../bounded-json.ts"
import { fieldPath } from "../errors/field-path.ts"
import { deepPath, repeatedKey } from "./repeated-key.ts"

/** As `parseJson`, with the path of what is nested too deeply, and refuses repeated keys. */
export const parseClientJson = (text: string): Result.Result<unknown, JsonRefusal> =>
  parseJson(text).pipe(
    Result.mapError((refusal) => {
      const path = refusal.fault === "depth" ? deepPath(text, MAX_JSON_DEPTH) : null
      return path === null ? refusal : { ...refusal, field: fieldPath(path) }
    }),
    Result.flatMap((value) => {
      const refusal = repeatedKeyRefusal(text)
      return refusal === null ? Result.succeed(value) : Result.fail(refusal)
    }),
  )

/** The refusal of a valid JSON text in which a key is repeated, or null. */
export const repeatedKeyRefusal = (text: string): JsonRefusal | null => {
  const path = repeatedKey(text)
  if (path === null) return null
  const field = fieldPath(path)
  return { fault: "repeated", message: `has the key ${field} twice`, field }
}
