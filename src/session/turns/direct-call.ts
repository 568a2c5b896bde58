// One tool call of a client: receives the events that the loop writes for it; logs those that a call outside turns has.
// Invariant: the call's change commits together with the first event that records it, and nothing is written while the
// session is being erased.
import { type Actor, actorField } from "../../schemas/access.ts"
import type { ToolCalled } from "../../schemas/log/event-payloads.ts"
import { EventNames, type NewEvent } from "../../schemas/log/events.ts"
import type { CalledTool } from "../../schemas/rpc/tools.ts"
import { fromSdkResult, type SdkToolResult } from "../../schemas/sdk/adapters/result-adapter.ts"
import type { ToolErrorReason } from "../../schemas/sdk/tools/tool-error-reason.ts"
import type { KnownFiles } from "../../tools/known-files.ts"
import { toolFingerprint } from "../../tools/tool-fingerprint.ts"
import type { Tool } from "../../tools/tool.ts"
import type { SessionCore } from "../core.ts"
import { withoutTurn } from "./outside-turn.ts"

export interface DirectCallFacts {
  readonly id: string
  readonly name: string
  readonly input: Readonly<Record<string, unknown>>
  /** Undefined when there is no such tool. */
  readonly tool: Tool | undefined
  readonly by: Actor | undefined
}

export class DirectCall {
  readonly #core: SessionCore
  readonly #facts: DirectCallFacts
  readonly #known: KnownFiles
  #result: CalledTool | null = null
  #reason: ToolErrorReason | undefined

  constructor(core: SessionCore, facts: DirectCallFacts, known: KnownFiles) {
    this.#core = core
    this.#facts = facts
    this.#known = known
  }

  /** Null when the session was erased meanwhile. */
  get result(): CalledTool | null {
    return this.#result
  }

  /** Sets the reason for which the tool has failed. */
  fail(reason: ToolErrorReason): void {
    this.#reason = reason
  }

  /** Logs that the client has cancelled the call, unless it has a result. */
  cancel(): void {
    if (this.#result !== null || this.#core.isClosed) return
    const called = { content: CANCELLED, is_error: true, output: `Error: ${CANCELLED}`, reason: "aborted" } as const
    this.#core.append([{ name: EventNames.toolCalled, payload: this.#payload(called) }])
    this.#result = called
  }

  write(events: ReadonlyArray<NewEvent>, change?: () => void): void {
    const core = this.#core
    if (core.isClosed) return
    const kept = events.flatMap(ofNoTurn)
    const message = events.find((event) => event.name === "sdk:user")
    if (message === undefined) {
      if (kept.length > 0) core.append(kept, change)
      return
    }
    const called = resultOf(message, this.#reason)
    core.append([...kept, { name: EventNames.toolCalled, payload: this.#payload(called) }], change)
    this.#known.learn(called.output, core.record.cwd)
    this.#result = called
  }

  #payload(called: CalledTool): ToolCalled {
    const { id, name, input, tool, by } = this.#facts
    return {
      tool_use_id: id,
      tool_name: name,
      input,
      via: "mcp",
      ...(tool === undefined ? {} : { schema_fingerprint: toolFingerprint(tool) }),
      ...called,
      ...actorField(by),
    }
  }
}

const CANCELLED = "The client has cancelled this call before it ended."

/** An event of a turn as the log has it for a call outside turns; none for events that only a turn has. */
const ofNoTurn = (event: NewEvent): ReadonlyArray<NewEvent> => {
  if (event.name === EventNames.hookFired) {
    const { payload } = event
    return [{ ...event, turn: null, payload: { ...payload, input: withoutTurn(payload.input) } }]
  }
  // A hook may have changed the mode.
  if (event.name === "sdk:system/status") return [{ ...event, turn: null }]
  return event.name === EventNames.callFinished || event.name === EventNames.toolRan ? [{ ...event, turn: null }] : []
}

/** The result in the loop's tool result message. `why` is the tool's own reason of its failure. */
const resultOf = ({ payload }: NewEvent<"sdk:user">, why: ToolErrorReason | undefined): CalledTool => {
  const { message, tool_use_result, tool_result_meta } = payload
  // The loop's `toolResultMessage` made this payload: its one block is the result.
  const block = message.content[0] as SdkToolResult["block"]
  const result = fromSdkResult({ block, tool_use_result })
  const denied = tool_result_meta?.[0]?.permission_decision?.decision === "reject"
  const reason = denied ? "permission_denied" : why
  return result.is_error !== true || reason === undefined ? result : { ...result, reason }
}
