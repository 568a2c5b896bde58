// The routes of one kind of a tenant's definitions for its sessions. Receives decoded requests; reads and writes D1.
// Invariants: a value that a session could not use is refused with all its issues and not stored; a secret is stored
// encrypted and never shown; the isolate that wrote uses the new version at once.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { RefusedField } from "../../../schemas/errors/rpc-error.ts"
import { type DefinitionKind, type DefinitionValue, MAX_DEFINITIONS } from "../../../schemas/definitions.ts"
import {
  type Definition,
  type DefinitionKey,
  deleteDefinition,
  listDefinitions,
  putDefinition,
  readDefinition,
} from "../../../store/definitions.ts"
import { seal } from "../../../store/seal.ts"
import { noteDefinitions } from "../../auth/definition-versions.ts"
import { rootKey } from "../../auth/auth.ts"
import type { DefinitionRows } from "../../contract/definitions/definition-rows.ts"
import { ApiError, fromStore, invalidFields } from "../../errors/errors.ts"
import { type App, type Caller, handle, json } from "../../handle.ts"

/** How a kind is checked, stored and shown. */
export interface DefinitionUse<Value> {
  readonly kind: DefinitionKind
  /** The kind's name in messages: `agent`. */
  readonly noun: string
  /** Returns the issues of a value: everything that a session could not use. */
  readonly issues: (name: string, value: Value, caller: Caller) => ReadonlyArray<RefusedField>
  /** Separates the secret fields of a value: `shown` is stored as it is, `secret` is encrypted. */
  readonly split?: (value: Value) => { readonly shown: DefinitionValue; readonly secret: DefinitionValue | null }
  /** Perch's own definitions of the kind: listed with the stored ones, unless a stored one has the same name. */
  readonly builtIn?: ReadonlyArray<DefinitionValue & { readonly name: string }>
}

export const definitionRoutes = <Name extends string, Created extends { readonly name: string }, Value extends object>(
  app: App,
  rows: DefinitionRows<Name, Created, Value>,
  use: DefinitionUse<Value>,
): void => {
  const { kind, noun, builtIn = [] } = use

  handle(
    app,
    rows.list,
    Effect.fnUntraced(function* (_input, { env, tenant }) {
      const stored = (yield* fromStore(listDefinitions(env.DB, tenant, kind))).map(shownDefinition)
      const names = new Set(stored.map(({ name }) => name))
      const own = builtIn.filter(({ name }) => !names.has(name)).map(shownBuiltIn)
      return json(200, { data: [...own, ...stored].toSorted((a, b) => (a.name < b.name ? -1 : 1)) })
    }),
  )

  handle(
    app,
    rows.create,
    Effect.fnUntraced(function* ({ body }, caller) {
      const { name, ...fields } = body
      // Without its name, the body is a value.
      const value = fields as unknown as Value
      const written = yield* write(use, caller, { name, value, only: "create" })
      if (written.state !== "exists") return json(201, shownDefinition(written.definition))
      // An earlier request with the same Idempotency-Key may have been cut off after it stored the definition.
      const before = yield* read(caller, { kind, name })
      const isSame = JSON.stringify(before?.value) === JSON.stringify(split(use, value).shown)
      if (before !== null && isSame && caller.request.headers.has("idempotency-key"))
        return json(201, shownDefinition(before))
      const message = `The ${noun} ${name} already exists. Replace it with PUT, or choose another name.`
      return yield* new ApiError({ type: "conflict_error", message, field: "name" })
    }),
  )

  handle(
    app,
    rows.read,
    Effect.fnUntraced(function* ({ params: { name } }, caller) {
      const found = yield* read(caller, { kind, name })
      if (found !== null) return json(200, shownDefinition(found))
      const own = builtIn.find((one) => one.name === name)
      return own === undefined ? yield* unknown(noun, name) : json(200, shownBuiltIn(own))
    }),
  )

  handle(
    app,
    rows.put,
    Effect.fnUntraced(function* ({ params: { name }, body }, caller) {
      const written = yield* write(use, caller, { name, value: body })
      // `exists` is only returned for a write that may not replace a definition, so never here.
      if (written.state === "exists") return yield* unknown(noun, name)
      return json(written.state === "created" ? 201 : 200, shownDefinition(written.definition))
    }),
  )

  handle(
    app,
    rows.remove,
    Effect.fnUntraced(function* ({ params: { name } }, { env, tenant }) {
      const version = yield* fromStore(deleteDefinition(env.DB, { tenant, kind, name }))
      if (version === null) return yield* unknown(noun, name)
      noteDefinitions(tenant, version)
      return new Response(null, { status: 204 })
    }),
  )
}

const split = <Value extends object>(
  use: DefinitionUse<Value>,
  value: Value,
): { readonly shown: DefinitionValue; readonly secret: DefinitionValue | null } =>
  use.split?.(value) ?? { shown: Object.fromEntries(Object.entries(value)), secret: null }

interface Write<Value> {
  readonly name: string
  readonly value: Value
  readonly only?: "create"
}

const write = Effect.fnUntraced(function* <Value extends object>(
  use: DefinitionUse<Value>,
  caller: Caller,
  { name, value, only }: Write<Value>,
) {
  const issues = use.issues(name, value, caller)
  if (issues.length > 0) return yield* invalidFields(issues)
  const { env, tenant } = caller
  const { shown, secret } = split(use, value)
  const key = yield* rootKey(env)
  const sealed = secret === null ? null : yield* Effect.promise(() => seal(key, tenant, JSON.stringify(secret)))
  const at = yield* Clock.currentTimeMillis
  const definition = { tenant, kind: use.kind, name, value: shown, sealed, at }
  const written = yield* fromStore(putDefinition(env.DB, definition, only))
  if (written.state === "full") return yield* full(use)
  if (written.state !== "exists") noteDefinitions(tenant, written.version)
  return written
})

const full = ({ kind, noun }: Pick<DefinitionUse<never>, "kind" | "noun">) => {
  const message = `The tenant's storage limit is reached: ${MAX_DEFINITIONS[kind]} of kind ${noun}, and a million bytes of all kinds. Remove some.`
  return Effect.fail(new ApiError({ type: "conflict_error", message }))
}

const unknown = (noun: string, name: string) =>
  Effect.fail(new ApiError({ type: "not_found_error", message: `There is no ${noun} with the name ${name}.` }))

const read = ({ env, tenant }: Caller, key: Omit<DefinitionKey, "tenant">) =>
  fromStore(readDefinition(env.DB, { tenant, ...key }))

const shownDefinition = ({ name, value, createdAt, updatedAt }: Definition) => ({
  ...value,
  name,
  source: "stored",
  created_at: new Date(createdAt).toISOString(),
  updated_at: new Date(updatedAt).toISOString(),
})

const shownBuiltIn = <Own extends { readonly name: string }>(value: Own) => ({
  ...value,
  source: "built-in",
  created_at: null,
  updated_at: null,
})
