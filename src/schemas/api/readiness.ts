// The responses of `/healthz` while the Worker runs, and of `/readyz` when the server can do its work.
import * as Schema from "effect/Schema"

const Check = Schema.Struct({ ok: Schema.Boolean, ms: Schema.Int })

/** The running versions, and the bindings of wrangler.toml that are missing. It contains no secret and no id. */
export const Health = Schema.Struct({
  status: Schema.Literal("ok"),
  versions: Schema.Struct({
    perch: Schema.String,
    compatibility_date: Schema.String,
    migration: Schema.String,
    runtime: Schema.NullOr(Schema.String),
  }),
  bindings: Schema.Struct({ ok: Schema.Boolean, missing: Schema.Array(Schema.String) }),
}).annotate({ identifier: "Health" })
export type Health = typeof Health.Type

/** `checks` is sent to the root key only; `model` is what answers prompts, the Messages API or the offline model. */
export const Readiness = Schema.Struct({
  status: Schema.Literal("ready"),
  checks: Schema.optionalKey(
    Schema.Struct({
      d1: Check,
      migrations: Check,
      session_object: Check,
      tenant_object: Check,
      queue: Check,
      root_key: Check,
      settings: Check,
      model: Schema.Literals(["live", "offline"]),
    }),
  ),
}).annotate({ identifier: "Readiness" })
export type Readiness = typeof Readiness.Type
