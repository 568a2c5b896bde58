// Receives a method and a path that match no route; suggests what the client probably meant: another method of the path
// (405 with `Allow`), a similar path, or Perch's counterpart of another API's path.
// Invariant: it reads nothing but the route table, so it reveals nothing about what is stored.
import { distance } from "../../schemas/errors/nearest.ts"
import { contract } from "../contract/contract.ts"
import { ApiError, errorResponse } from "./errors.ts"
import type { Route } from "../route.ts"

const MAX_SHOWN = 200
const MAX_SEGMENTS = 12

const PROMPT = "POST /v1/query runs a prompt: send `prompt`, and the options of the Claude Agent SDK in `options`"
const HEALTH = "It is GET /healthz"
const DOCUMENT = "It is GET /openapi.json"

/** Paths of other APIs, without their version, and their counterparts here. */
const FOREIGN: Readonly<Record<string, string>> = {
  messages: PROMPT,
  complete: PROMPT,
  completions: PROMPT,
  "chat/completions": PROMPT,
  responses: PROMPT,
  chat: PROMPT,
  prompt: PROMPT,
  keys: "API keys are at /v1/admin/keys",
  tenants: "A tenant's limits are at /v1/admin/tenants/{tenant}/limits",
  health: HEALTH,
  ping: HEALTH,
  "openapi.yaml": DOCUMENT,
  "swagger.json": DOCUMENT,
}

const NO_TERMINAL =
  "A terminal (PTY) needs a local process, and Perch starts none. The tool Bash runs scripts in the workspace"
const NO_LANGUAGE_SERVER =
  "A language server (LSP) is a local process, and Perch starts none. Offer a tool of your own, as examples/ade-tools.mjs does"

/** First segments of paths for features that Perch can't have. */
const IMPOSSIBLE: Readonly<Record<string, string>> = { pty: NO_TERMINAL, lsp: NO_LANGUAGE_SERVER }

const rows: ReadonlyArray<Route> = Object.values(contract)

export const unknownRoute = (method: string, path: string, requestId: string): Response => {
  const shown = path.slice(0, MAX_SHOWN)
  const methods = methodsOf(path)
  if (methods.length > 0) {
    const message = `There is no ${method} ${shown}: this path takes ${methods.join(", ")}`
    const response = errorResponse(new ApiError({ type: "method_not_allowed_error", message }), requestId)
    response.headers.set("allow", methods.join(", "))
    return response
  }
  const foreign = path.replace(/^\/(?:v\d\/)?/, "").replace(/\/$/, "")
  const [first = ""] = foreign.split("/")
  const known = Object.hasOwn(FOREIGN, foreign)
    ? FOREIGN[foreign]
    : Object.hasOwn(IMPOSSIBLE, first)
      ? IMPOSSIBLE[first]
      : undefined
  const meant = known === undefined ? suggestion(method, path) : `. ${known}.`
  const message = `There is no ${method} ${shown}${meant}`
  return errorResponse(new ApiError({ type: "not_found_error", message }), requestId)
}

/** All methods, in the order in which `Allow` and messages list them. */
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]

const methodsOf = (path: string): ReadonlyArray<string> => {
  const found = new Set(rows.filter((row) => costOf(path, row.path) === 0).map((row) => row.method.toUpperCase()))
  if (found.has("GET")) found.add("HEAD")
  return METHODS.filter((method) => found.has(method))
}

/** A sentence that suggests a route: first without trailing and double slashes and below `/v1`, then the most similar one. */
const suggestion = (method: string, path: string): string => {
  const tidy = path.replace(/\/{2,}/g, "/").replace(/(?<=.)\/$/, "")
  for (const candidate of [tidy, `/v1${tidy}`]) {
    const methods = methodsOf(candidate)
    if (methods.length === 0) continue
    const fit = methods.includes(method) ? method : (methods[0] ?? method)
    return `. Did you mean ${fit} ${candidate.slice(0, MAX_SHOWN)}?`
  }
  let best: Route | undefined
  let least = MAX_COST + 1
  for (const candidate of [tidy, `/v1${tidy}`]) {
    for (const row of rows) {
      const cost = costOf(candidate, row.path) * 2 + (row.method.toUpperCase() === method ? 0 : 1)
      if (cost < least * 2) [best, least] = [row, cost / 2]
    }
  }
  if (best === undefined) return ". GET /openapi.json lists all routes."
  return `. Did you mean ${best.method.toUpperCase()} ${best.path}?`
}

/** How many letters of a path may differ from a suggested route. */
const MAX_COST = 4

/**
 * How many letters of a path differ from a route's, where all capitals of a segment count as one; 0 if it is the route's path.
 * A parameter matches anything.
 */
const costOf = (path: string, template: string): number => {
  const actual = path.split("/")
  const wanted = template.split("/")
  if (actual.length > MAX_SEGMENTS && !template.endsWith("{path}")) return Infinity
  const rest = wanted.at(-1) === "{path}"
  if (rest ? actual.length < wanted.length : actual.length !== wanted.length) return Infinity
  let cost = 0
  for (const [index, segment] of wanted.entries()) {
    const given = actual[index] ?? ""
    if (segment.startsWith("{")) {
      if (given === "") return Infinity
      continue
    }
    if (given === segment) continue
    const most = Math.max(1, Math.floor(segment.length / 3))
    const away = given.length > 64 ? Infinity : distance(given.toLowerCase(), segment)
    if (away > most) return Infinity
    cost += Math.max(1, away)
  }
  return cost
}
