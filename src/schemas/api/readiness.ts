// What `/readyz` answers when the server can do its work.
import * as Schema from "effect/Schema"

const Check = Schema.Struct({ ok: Schema.Boolean, ms: Schema.Int })

/** `checks` is sent to the root key only; `model` is what answers prompts, the Messages API or the offline model. */
export const Readiness = Schema.Struct({
  status: Schema.Literal("ready"),
  checks: Schema.optionalKey(
    Schema.Struct({
      d1: Check,
      session_object: Check,
      tenant_object: Check,
      queue: Check,
      root_key: Check,
      model: Schema.Literals(["live", "offline"]),
    }),
  ),
}).annotate({ identifier: "Readiness" })
export type Readiness = typeof Readiness.Type
