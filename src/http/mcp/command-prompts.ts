// Receives requests of `/mcp` for prompts; returns Perch's own commands and those that the tenant stores, as texts for the
// client's model.
// Invariant: nothing is executed to build a prompt: a command whose text runs shell scripts is not offered.
import * as Effect from "effect/Effect"
import { BUILT_IN_COMMANDS } from "../../agent/commands/built-in.ts"
import { fillTemplate, hasPlaceholder, hasScripts } from "../../agent/commands/template.ts"
import { type OfferedPrompts, PROMPT_ARGUMENT } from "../../mcp/endpoint-resources.ts"
import { listDefinitions } from "../../store/definitions.ts"
import { ApiError, fromStore, invalidRequest } from "../errors/errors.ts"
import type { Caller } from "../handle.ts"
import { offered } from "./refusal.ts"

interface Template {
  readonly name: string
  readonly description: string
  readonly text: string
}

export const commandPrompts = (caller: Caller): OfferedPrompts => ({
  list: () => offered(caller, list(caller)),
  get: (name, text) => offered(caller, get(caller, name, text)),
})

const list = Effect.fnUntraced(function* (caller: Caller) {
  const prompts = (yield* templates(caller)).map(({ name, description, text }) => ({
    name,
    description,
    ...(hasPlaceholder(text) ? { arguments: [ARGUMENT] } : {}),
  }))
  return { prompts }
})

const ARGUMENT = {
  name: PROMPT_ARGUMENT,
  description: "What follows the command's name: words, and texts in quotes.",
  required: false,
}

const get = Effect.fnUntraced(function* (caller: Caller, name: string, args: string) {
  const found = (yield* templates(caller)).find((one) => one.name === name)
  if (found === undefined)
    return yield* new ApiError({ type: "not_found_error", message: `There is no prompt ${name.slice(0, 200)}` })
  const filled = fillTemplate(found.text, args)
  if ("fault" in filled) return yield* invalidRequest(filled.fault)
  return { description: found.description, text: filled.texts.join("").trim() }
})

const templates = Effect.fnUntraced(function* ({ env, tenant }: Caller) {
  const stored = yield* fromStore(listDefinitions(env.DB, tenant, "command"))
  const own = BUILT_IN_COMMANDS.flatMap(({ name, description, body }): ReadonlyArray<Template> => {
    const text = body.kind === "template" ? body.read() : ""
    return typeof text === "string" && text !== "" ? [{ name, description, text }] : []
  })
  const tenants = stored.map(({ name, value: { description = "", template = "" } }): Template => ({
    name,
    description: description === "" ? `The command /${name}` : String(description),
    text: String(template),
  }))
  const tenantNames = new Set(tenants.map(({ name }) => name))
  return [...tenants, ...own.filter(({ name }) => !tenantNames.has(name))].filter(({ text }) => !hasScripts(text))
})
