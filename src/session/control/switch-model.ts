// Receives the model that a client asks for; lets hooks refuse it, then changes the session.
// Invariant: clients get the message that the official SDK sends for the change, and the next request uses the new model.
import { sdkEvent, systemMessage } from "../../agent/messages/sdk-messages.ts"
import { modelOf } from "../../agent/step-request.ts"
import { tokensInUse } from "../../agent/compaction/window.ts"
import { costOf } from "../../model/catalogue/prices.ts"
import type { Actor } from "../../schemas/access.ts"
import { resolveModel } from "../../model/catalogue/models.ts"
import { EventNames } from "../../schemas/log/events.ts"
import type { SessionCore } from "../core.ts"
import { ControlError, permitted } from "./control-error.ts"
import { fireOutsideTurn, type FireParts } from "../hooks/hooks-outside-turn.ts"

const MAX_NAME = 200

/** Calls PostModelSwitch hooks. As the official SDK, the client that switched is answered first. */
export type AfterSwitch = () => Promise<void>

const NOTHING: AfterSwitch = () => Promise.resolve()

/**
 * Changes the session's model; null means the default. Throws a ControlError for a wrong name, a hook's denial or a lack of
 * rights.
 */
export const switchModel = async (
  parts: FireParts,
  model: string | null,
  by: Actor | undefined,
  source: "sdk" | "command" = "sdk",
): Promise<AfterSwitch> => {
  const { core } = parts
  const { changes, context } = core
  if (model !== null && (model === "" || model.length > MAX_NAME)) {
    const field = source === "sdk" ? "set_model.model:" : "The name of a model"
    throw new ControlError(`${field} must have 1 to ${MAX_NAME} characters`)
  }
  const from = modelOf(core.record.options)
  const to = resolveModel(model ?? "default").id
  // As the official SDK: the default is not the model that the settings name.
  const named = model ?? (core.record.options.settings?.model === undefined ? undefined : "default")
  if (to === from) {
    permitted(changes.setOptions({ model: named }, by))
    core.runningTurn.releaseModel()
    return NOTHING
  }
  const facts = {
    from_model: from,
    to_model: to,
    requested_model: model,
    source,
    ...cacheFacts(core, to),
  }
  const before = await fireOutsideTurn(parts, "PreModelSwitch", facts)
  if (before.outcome.modelSwitch?.behavior === "deny") {
    core.append([before.event])
    throw new ControlError(before.outcome.modelSwitch.reason ?? "a PreModelSwitch hook refused the model")
  }
  const message = sdkEvent(null, "sdk:user", {
    message: { role: "user", content: `<local-command-stdout>Set model to ${to}</local-command-stdout>` },
    parent_tool_use_id: null,
    session_id: core.record.id,
    uuid: context.newUuid(),
    timestamp: new Date(context.now()).toISOString(),
    isReplay: true,
  })
  const { systemMessages: first } = before.outcome
  // As the official SDK: a command answers with a message of its own, and there is none before the conversation has begun.
  const shown = source === "sdk" && core.memory.transcript.messages().length > 0 ? [message] : []
  permitted(changes.setOptions({ model: named }, by, [before.event, ...shown, ...notices(parts, first)]))
  core.runningTurn.releaseModel()
  return async () => {
    const after = await fireOutsideTurn(parts, "PostModelSwitch", facts)
    const last = after.outcome.systemMessages.map((text) => `PostModelSwitch:${to} says: ${text}`)
    if (!core.isClosed) core.append([after.event, ...notices(parts, last)])
  }
}

const CACHE_MS = { "5m": 5 * 60_000, "1h": 60 * 60_000 } as const

/** What a switch to the model `to` means for the prompt cache: the next request writes the whole conversation anew. */
const cacheFacts = ({ memory, log, context, runningOptions }: SessionCore, to: string) => {
  const ttl = runningOptions.settings?.promptCacheTtl ?? "5m"
  const tokens = tokensInUse(memory)
  const written = {
    cache_creation_input_tokens: tokens,
    ...(ttl === "1h" ? { cache_creation: { ephemeral_1h_input_tokens: tokens } } : {}),
  }
  const last = log.lastNamed(EventNames.callFinished)?.event
  return {
    context_tokens: tokens,
    prompt_cache_warm: last !== undefined && context.now() - last.at < CACHE_MS[ttl],
    cache_ttl: ttl,
    estimated_cache_write_usd: Math.round((costOf(to, written) ?? 0) * 1e4) / 1e4,
    pricing: resolveModel(to).listed === null ? "default" : "catalog",
  }
}

/** Messages of hooks for clients. As the official SDK: without the hook's name before the switch, with it afterwards. */
const notices = ({ core: { context, id } }: FireParts, texts: ReadonlyArray<string>) =>
  texts.map((content) => {
    const stamp = { sessionId: id, turn: null, uuid: context.newUuid(), at: context.now() }
    return systemMessage(stamp, "informational", { content, level: "notice" })
  })
