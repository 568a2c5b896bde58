// Implements the loop's port for hooks: calls the callbacks of the session's client, and the URLs in the session's options
// and in the skills and commands that the running turn uses.
// Invariant: a callback that is requested again after a restart has the same id, so that it is answered once.
import * as Effect from "effect/Effect"
import type { Hooks } from "../../agent/ports.ts"
import { callHttpHook, type CallHttpHook } from "../../hooks/http-hook.ts"
import type { FiredHookEvent } from "../../schemas/sdk/status/hook-status.ts"
import { clientHooks, type HookEntry, type HookRegistry, httpHooks, mergeRegistries } from "../../hooks/registry.ts"
import { type CallHook, HookFailure, runHooks } from "../../hooks/runner.ts"
import { hookForm, hookRequest } from "../../recording/forms.ts"
import { guardedFetch, hookFetchSettings } from "../../net/guarded-fetch.ts"
import { webhookSecrets } from "./webhook-secrets.ts"
import type { SessionCore } from "../core.ts"
import { isPlainObject } from "../../schemas/plain-object.ts"
import { sha256 } from "../../schemas/sha256.ts"

/** Events that no client's callback gets, as with the official SDK; HTTP hooks get them. */
const NOT_FOR_CLIENTS: ReadonlySet<FiredHookEvent> = new Set(["SessionStart", "SessionEnd", "PermissionDenied"])

/** Except with these sources and reasons, of a conversation that is restarted. */
const OF_RESTARTS: ReadonlySet<unknown> = new Set(["compact", "clear"])

export class HookPort {
  readonly #core: SessionCore
  readonly #callHttp: CallHttpHook
  #known: {
    readonly client: unknown
    readonly http: unknown
    readonly used: unknown
    readonly registry: HookRegistry
  } | null = null

  constructor(core: SessionCore) {
    const { context } = core
    const { env, now, newUuid, tenant } = context
    this.#core = core
    this.#callHttp = callHttpHook({
      fetch: guardedFetch(hookFetchSettings(env)),
      secrets: webhookSecrets({ db: env.DB, tenant, rootKey: env.PERCH_ROOT_KEY, now, newUuid }),
      now,
    })
  }

  /** The port that a turn runs with. */
  get service(): Hooks["Service"] {
    return {
      listens: (event) => this.#entries(event, true).length > 0,
      run: (event, input, toolUseId, place) => {
        const restarts = OF_RESTARTS.has(input["source"] ?? input["reason"])
        const entries = this.#entries(event, restarts)
        const inputWithMedia = entries.length === 0 ? input : this.#core.log.media.wholeValue(input)
        return runHooks(entries, event, inputWithMedia, toolUseId, this.#call(event, toolUseId, place))
      },
    }
  }

  #entries(event: FiredHookEvent, restarts = false): ReadonlyArray<HookEntry> {
    const entries = this.#registry.get(event) ?? []
    return NOT_FOR_CLIENTS.has(event) && !restarts ? entries.filter((entry) => entry.kind === "http") : entries
  }

  get #registry(): HookRegistry {
    const client = this.#core.clients.registration.hooks
    const http = this.#core.runningOptions.hooks
    const used = this.#core.skillHooks.now
    if (this.#known?.client === client && this.#known.http === http && this.#known.used === used)
      return this.#known.registry
    const registry = mergeRegistries(clientHooks(client), httpHooks(http ?? {}), httpHooks(used))
    this.#known = { client, http, used, registry }
    return registry
  }

  #call(event: string, toolUseId: string | undefined, place?: string): CallHook {
    const fired = this.#core.runningTurn.fired(event)
    // The same after a restart: an event fires once per call and turn, or is counted in its turn. Events outside turns are
    // never repeated; `place` keeps those that are fired while a turn runs apart from the turn's own.
    const at = fired === null ? this.#core.context.newUuid() : `${fired.turn}:${place ?? toolUseId ?? fired.count}`
    const { capture } = this.#core
    const ask: CallHook = (call) =>
      call.entry.kind === "http"
        ? this.#callHttp(call, this.#messageId(at, call.entry))
        : this.#callClient(call, at, toolUseId)
    return capture === null ? ask : (call) => capture.exchange("hook", hookRequest(call), hookForm, ask(call))
  }

  /** The id of a message; an event that is sent again after a restart has the same one, so that its receiver recognises it. */
  #messageId(at: string, entry: HookEntry): string {
    return `msg_${sha256(`${this.#core.id}/${at}/${entry.id}`).slice(0, 32)}`
  }

  #callClient(
    { entry, input }: Parameters<CallHook>[0],
    at: string,
    toolUseId: string | undefined,
  ): Effect.Effect<unknown, HookFailure> {
    const { clients, context, runningOptions } = this.#core
    const { owner } = clients
    if (owner === null) return Effect.fail(new HookFailure({ kind: "gone", message: "no client owns this hook" }))
    const request = {
      subtype: "hook_callback",
      callback_id: entry.callbackId,
      input,
      tool_use_id: toolUseId ?? context.newUuid(),
    }
    const { ticket, bypass } = clients.registration
    const approves = ticket?.answers === true && runningOptions.permissionMode !== "dontAsk"
    return clients.request(owner, `hook:${at}:${entry.id}`, request).pipe(
      Effect.map((answer) => (bypass === false ? withoutBypass(answer) : answer)),
      Effect.map((answer) => (ticket === undefined ? answer : withinTicket(answer, approves))),
      Effect.mapError(({ kind, message }) => new HookFailure({ kind, message })),
    )
  }
}

type Fields = Readonly<Record<string, unknown>>

/** The answer of a client whose key lacks the scope `bypass`, without updates to the mode bypassPermissions. */
const withoutBypass = (answer: unknown): unknown => {
  const specific = isPlainObject(answer) ? answer["hookSpecificOutput"] : undefined
  const decision = isPlainObject(specific) ? specific["decision"] : undefined
  if (!isPlainObject(answer) || !isPlainObject(specific) || !isPlainObject(decision)) return answer
  const updates = decision["updatedPermissions"]
  if (!Array.isArray(updates)) return answer
  const updatedPermissions = updates.filter(
    (update) => !isPlainObject(update) || update["mode"] !== "bypassPermissions",
  )
  return { ...answer, hookSpecificOutput: { ...specific, decision: { ...decision, updatedPermissions } } }
}

/**
 * The parts of a callback's answer that apply when its client has a ticket: it may deny, ask and add to what the model reads.
 * It approves only if the ticket may answer asks, and changes no permissions.
 */
const withinTicket = (answer: unknown, approves: boolean): unknown => {
  if (!isPlainObject(answer)) return answer
  const { decision: verdict, hookSpecificOutput: specific, ...rest } = answer
  return {
    ...rest,
    ...(verdict === undefined || (verdict === "approve" && !approves) ? {} : { decision: verdict }),
    ...(specific === undefined
      ? {}
      : { hookSpecificOutput: isPlainObject(specific) ? ofEvent(specific, approves) : specific }),
  }
}

const ofEvent = (specific: Fields, approves: boolean): Fields => {
  const { permissionDecision: verdict, decision, sessionTitle: _title, ...rest } = specific
  const { updatedPermissions: _, ...kept } = isPlainObject(decision) ? decision : {}
  const allows = isPlainObject(decision) && decision["behavior"] === "allow"
  return {
    ...rest,
    ...(verdict === undefined || (verdict === "allow" && !approves) ? {} : { permissionDecision: verdict }),
    ...(decision === undefined || (allows && !approves) ? {} : { decision: isPlainObject(decision) ? kept : decision }),
  }
}
