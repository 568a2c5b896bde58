// Sessions that are busy when the next prompt arrives: in the middle of a tool call, or about to end their first turn.
import type { SessionOptions } from "../../../src/schemas/sdk/options/options.ts"
import { BYPASS, DONE, type loop, payloadsOf, until } from "../../support/session/loop.ts"
import { call, promptFor, textAnswer } from "../../support/session/scripts.ts"
import type { HookTable } from "../../support/session/session-client.ts"
import { eventsOf, prompt } from "../../support/session/session-harness.ts"

/** A user message as a client of the control protocol sends it. */
export const user = (content: unknown, fields: object = {}) => ({
  type: "user",
  message: { role: "user", content },
  parent_tool_use_id: null,
  session_id: "",
  ...fields,
})

/** The states of a prompt, in the order in which its clients were notified. */
export const lifecycleOf = (events: Parameters<typeof payloadsOf>[0], uuid: string) =>
  payloadsOf(events, "sdk:command_lifecycle")
    .filter((payload) => payload["command_uuid"] === uuid)
    .map((payload) => payload["state"])

/** Busy sessions on the scripted API of a test file. */
export const busySessions = ({ connected, scripted, messagesSent }: ReturnType<typeof loop>) => {
  /** A session whose first prompt is in the middle of a tool call, which ends when `release` is called. */
  const inMidTool = async (hooks: HookTable = {}, options: SessionOptions = {}) => {
    let release: () => void = () => undefined
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const guard = async () => {
      await held
      return {}
    }
    const opened = await connected({ ...hooks, PreToolUse: guard }, { ...BYPASS, ...options })
    const script = scripted([{ content: [call("Glob", { pattern: "*" })] }, DONE])
    const turn = prompt(opened.session, promptFor(script))
    await until(() => opened.client.called.some((one) => one.callbackId === "PreToolUse"))
    const sent = () => messagesSent(script)
    return { ...opened, script, turn, release, sent, events: () => eventsOf(opened.log) }
  }

  /** A session whose first turn is about to end: prompts that arrive now wait for the next. */
  const atItsEnd = async (hooks: HookTable = {}, options: SessionOptions = {}) => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    const opened = await connected(
      {
        ...hooks,
        Stop: async () => {
          await held
          return {}
        },
      },
      { ...BYPASS, ...options },
    )
    const turn = prompt(opened.session, promptFor(scripted([DONE])))
    await until(() => opened.client.called.some((one) => one.callbackId === "Stop"))
    const script = scripted([textAnswer("Both.")])
    return {
      ...opened,
      turn,
      release,
      script,
      events: () => eventsOf(opened.log),
      last: () => messagesSent(script)[0]?.at(-1),
    }
  }

  return { inMidTool, atItsEnd }
}
