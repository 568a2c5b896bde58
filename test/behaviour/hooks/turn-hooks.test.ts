// Hooks around a turn: prompts that are blocked or get context, and ends that are prevented or accepted.
import { describe, expect, it } from "vitest"
import { call, promptFor, text, textAnswer } from "../../support/session/scripts.ts"
import { problemsOf, prompt } from "../../support/session/session-harness.ts"
import { BYPASS, DONE, hooksOf, loop, namesOf, payloadsOf, textOf, until } from "../../support/session/loop.ts"

const { finish, messagesSent, start, scripted } = loop()

const submit = (fields: object) => ({ hookSpecificOutput: { hookEventName: "UserPromptSubmit", ...fields } })
const stop = (fields: object) => ({ hookSpecificOutput: { hookEventName: "Stop", ...fields } })

describe("a field of a hook's answer that is not supported", () => {
  it("is no warning when it is harmless", async () => {
    const { events } = await finish([DONE], { Stop: () => ({ suppressOutput: true }) })
    expect(payloadsOf(events(), "sdk:system/informational")).toEqual([])
  })
})

describe("a UserPromptSubmit hook", () => {
  it("receives the prompt before init", async () => {
    const { client, events, script } = await finish([DONE], { UserPromptSubmit: {} })
    expect(client.called[0]?.input).toMatchObject({ prompt: promptFor(script), permission_mode: "bypassPermissions" })
    const names = namesOf(events())
    expect(names.indexOf("hook:fired")).toBeLessThan(names.indexOf("sdk:system/init"))
  })

  it("that blocks ends the turn with its reason, and the model never receives the prompt", async () => {
    const { result, events, sent, script, session, idle } = await finish([DONE], {
      UserPromptSubmit: (input) =>
        String(input["prompt"]).includes("other") ? {} : { decision: "block", reason: "not now" },
    })
    expect(result()).toMatchObject({
      subtype: "success",
      is_error: false,
      num_turns: 0,
      result: `not now\n\nOriginal prompt: ${promptFor(script)}`,
      total_cost_usd: 0,
    })
    expect(result()).not.toHaveProperty("terminal_reason")
    expect(payloadsOf(events(), "sdk:system/informational")).toMatchObject([
      {
        level: "warning",
        prevent_continuation: true,
        prompt_submit_outcome: { kind: "blocked_by_hook", prompt_kept: false },
      },
    ])
    expect(sent()).toEqual([])
    prompt(session, `${promptFor(script)} other`)
    await idle()
    expect(sent()[0]).toHaveLength(1)
    expect(textOf(sent()[0]?.[0])).toBe(`${promptFor(script)} other`)
  })

  it("that stops ends the turn, and the prompt stays in the conversation", async () => {
    const { result, sent, script, session, idle, events } = await finish([DONE], {
      UserPromptSubmit: (input) =>
        String(input["prompt"]).includes("other") ? {} : { continue: false, stopReason: "wait" },
    })
    expect(result()).toMatchObject({ subtype: "success", num_turns: 0 })
    expect(String(result()["result"])).toContain("wait")
    expect(payloadsOf(events(), "sdk:system/informational")).toMatchObject([
      { prompt_submit_outcome: { kind: "stopped_by_hook", prompt_kept: true } },
    ])
    prompt(session, `${promptFor(script)} other`)
    await idle()
    // As the official SDK: the model reads why its turn was stopped.
    const stopped = "A UserPromptSubmit hook stopped the turn: wait"
    expect(textOf(sent()[0]?.[0])).toBe(`${promptFor(script)}\n${stopped}\n${promptFor(script)} other`)
  })

  it("that stops adds no context for the model", async () => {
    const { sent, script, session, idle } = await finish([DONE], {
      UserPromptSubmit: (input) =>
        String(input["prompt"]).includes("other")
          ? {}
          : { continue: false, ...submit({ additionalContext: "it is Monday" }) },
    })
    prompt(session, `${promptFor(script)} other`)
    await idle()
    expect(JSON.stringify(sent()[0])).not.toContain("Monday")
  })

  it("adds a text for the model before the prompt", async () => {
    const { sent, script } = await finish([DONE], { UserPromptSubmit: submit({ additionalContext: "it is Monday" }) })
    const [first, second] = sent()[0]?.[0]?.content ?? []
    expect(first?.text).toContain("UserPromptSubmit hook additional context: it is Monday")
    expect(second?.text).toBe(promptFor(script))
  })

  it("that fails admits the prompt, and clients are notified after init", async () => {
    const { events, result } = await finish([DONE], { UserPromptSubmit: { decision: "maybe" } })
    expect(result()).toMatchObject({ result: "Done." })
    const names = namesOf(events())
    expect(names.indexOf("sdk:system/informational")).toBeGreaterThan(names.indexOf("sdk:system/init"))
  })
})

describe("an interrupt while UserPromptSubmit hooks run", () => {
  it("ends the turn right after its init, and the model never receives the unchecked prompt", async () => {
    const { client, events, idle, result, runner, script, session, turn } = await start([DONE], {
      UserPromptSubmit: (input) => (String(input["prompt"]).includes("next") ? {} : undefined),
    })
    while (client.called.length === 0) await new Promise((resolve) => setImmediate(resolve))
    await runner.interrupt()
    await idle()
    expect(problemsOf(events(), [turn])).toEqual([])
    const sent = namesOf(events()).filter((name) => name.startsWith("sdk:"))
    expect(sent.slice(0, 3)).toEqual(["sdk:system/init", "sdk:user", "sdk:result/error_during_execution"])
    expect(result()).toMatchObject({ terminal_reason: "aborted_streaming", num_turns: 0 })

    prompt(session, `next ${promptFor(script)}`)
    await idle()
    const [conversation] = messagesSent(script)
    const texts = conversation?.[0]?.content.flatMap(({ text }) => text ?? [])
    expect(texts).toEqual(["[Request interrupted by user]", `next ${promptFor(script)}`])
  })
})

describe("a Stop hook", () => {
  it("receives the last text; an answer without a decision ends the turn", async () => {
    const { client, result } = await finish([DONE], { Stop: {} })
    expect(client.called[0]?.input).toMatchObject({ stop_hook_active: false, last_assistant_message: "Done." })
    expect(result()).toMatchObject({ terminal_reason: "completed" })
  })

  it("that blocks sends the model its reason, and is called again with `stop_hook_active`", async () => {
    const { client, sent, result, events } = await finish([DONE, textAnswer("Really done.")], {
      Stop: (input) => (input["stop_hook_active"] === true ? {} : { decision: "block", reason: "run the tests" }),
    })
    expect(client.called.map((one) => one.input["stop_hook_active"])).toEqual([false, true])
    expect(textOf(sent()[1]?.at(-1))).toBe("Stop hook feedback:\nrun the tests")
    expect(payloadsOf(events(), "sdk:user")).toMatchObject([{ isSynthetic: true }])
    expect(payloadsOf(events(), "sdk:system/notification")).toMatchObject([{ key: "stop-hook-error" }])
    expect(result()).toMatchObject({ result: "Really done.", terminal_reason: "completed", num_turns: 2 })
  })

  it("that always blocks continues the turn eight times, then it ends", async () => {
    const { client, sent, result, events } = await finish([DONE], { Stop: { decision: "block", reason: "more" } })
    expect(sent()).toHaveLength(9)
    expect(client.called).toHaveLength(9)
    expect(new Set(client.called.map((one) => one.requestId)).size).toBe(9)
    expect(result()).toMatchObject({ subtype: "success", is_error: false, result: "" })
    expect(payloadsOf(events(), "sdk:system/notification").at(-1)).toMatchObject({ key: "stop-hook-block-cap" })
  })

  it("that fails is reported before the reasons of those that block, as recorded", async () => {
    const { events } = await finish([DONE, DONE], {
      Stop: [
        (input) => (input["stop_hook_active"] === true ? {} : { decision: "block", reason: "more" }),
        { decision: "maybe" },
      ],
    })
    const shown = namesOf(events()).filter((name) => name === "sdk:user" || name === "sdk:system/informational")
    expect(shown).toEqual(["sdk:system/informational", "sdk:user", "sdk:system/informational"])
  })

  it("that adds context continues the turn without a message", async () => {
    let times = 0
    const { sent, events, result } = await finish([DONE, textAnswer("Now done.")], {
      Stop: () => ((times += 1) === 1 ? stop({ additionalContext: "one test fails" }) : {}),
    })
    expect(textOf(sent()[1]?.at(-1))).toContain("Stop hook additional context: one test fails")
    expect(payloadsOf(events(), "sdk:user")).toEqual([])
    expect(result()).toMatchObject({ result: "Now done.", num_turns: 1 })
  })

  it("that blocks is announced to clients, also when no request is left", async () => {
    const { events, result } = await finish([DONE], { Stop: { decision: "block", reason: "more" } }, { maxTurns: 1 })
    expect(payloadsOf(events(), "sdk:system/notification")).toMatchObject([{ key: "stop-hook-error" }])
    expect(result()).toMatchObject({ subtype: "error_max_turns" })
  })

  it("that stops ends the turn at once, whatever another one returns", async () => {
    const { sent, result } = await finish([DONE], {
      Stop: [{ continue: false }, { decision: "block", reason: "more" }],
    })
    expect(sent()).toHaveLength(1)
    expect(result()).toMatchObject({ subtype: "success", terminal_reason: "stop_hook_prevented", result: "" })
  })

  it("that stops leaves its reason for the next prompt", async () => {
    const { session, idle, sent, script } = await finish([DONE], {
      Stop: (input) => (input["stop_hook_active"] === true ? {} : { continue: false, stopReason: "enough" }),
    })
    prompt(session, `${promptFor(script)} more`)
    await idle()
    expect(textOf(sent().at(-1)?.at(-1))).toContain("Stop hook stopped continuation: enough")
  })

  it("is not called for a turn that ended because of its request limit, its budget or an error", async () => {
    const glob = () => call("Glob", { pattern: "*" })
    const refused = { error: { status: 400, type: "invalid_request_error", message: "bad" } }
    const runs = [
      await finish([{ content: [glob()] }], { Stop: {} }, { ...BYPASS, maxTurns: 1 }),
      await finish([DONE], { Stop: {} }, { ...BYPASS, maxBudgetUsd: 0.0000001 }),
      await finish([refused], { Stop: {} }),
    ]
    for (const run of runs) expect(run.client.called).toEqual([])
  })
})

describe("an interrupt while Stop hooks run", () => {
  it("ends the turn with the outcome of its answer", async () => {
    const { client, session, idle, result, events, turn } = await start([DONE], { Stop: () => undefined })
    await until(() => client.called.length === 1)
    expect(await client.request("interrupt")).toMatchObject({ subtype: "success", response: { still_queued: [] } })
    await idle()
    expect(result()).toMatchObject({ subtype: "success", terminal_reason: "completed", result: "Done.", num_turns: 1 })
    expect(hooksOf(events()).filter((name) => name === "Stop")).toHaveLength(1)
    expect(problemsOf(events(), [turn])).toEqual([])
    const script = scripted([DONE])
    prompt(session, promptFor(script))
    await until(() => client.called.length === 2)
    await client.request("interrupt")
    await idle()
    expect(JSON.stringify(messagesSent(script))).not.toContain("interrupted")
  })

  it("that have continued the turn stops the model request that follows", async () => {
    const { client, idle, result } = await start([DONE, { content: [text("More.")], delay_ms: 10_000 }], {
      Stop: { decision: "block", reason: "more" },
    })
    await until(() => client.frames.some((frame) => frame.type === "system" && frame["subtype"] === "notification"))
    await client.request("interrupt")
    await idle()
    expect(result()).toMatchObject({ subtype: "error_during_execution", terminal_reason: "aborted_streaming" })
  })
})

describe("a StopFailure hook", () => {
  it("receives the API error that ended the turn", async () => {
    const { client, events } = await finish(
      [{ error: { status: 400, type: "invalid_request_error", message: "bad" } }],
      {
        StopFailure: {},
      },
    )
    expect(client.called[0]?.input).toMatchObject({ hook_event_name: "StopFailure", error: "unknown" })
    expect(client.called[0]?.input).not.toHaveProperty("permission_mode")
    expect(hooksOf(events())).not.toContain("Stop")
  })

  it("has no message to clients, as in the official SDK", async () => {
    const { events } = await finish([{ error: { status: 400, type: "invalid_request_error", message: "bad" } }], {
      StopFailure: { systemMessage: "it failed" },
    })
    expect(payloadsOf(events(), "sdk:system/informational")).toEqual([])
  })
})

describe("hooks of the next turn", () => {
  it("have different ids, also when the prompt was queued behind this turn", async () => {
    const { client, session, idle, events, turn } = await start([DONE], { UserPromptSubmit: {}, Stop: {} })
    const second = prompt(session, promptFor(scripted([DONE])))
    const third = prompt(session, promptFor(scripted([DONE])))
    await idle()
    expect(problemsOf(events(), [turn, second, third])).toEqual([])
    expect(client.called).toHaveLength(6)
    expect(new Set(client.called.map((one) => one.requestId)).size).toBe(6)
  })
})

describe("a hook that never answers", () => {
  it("is abandoned when its client closes the connection, and the turn continues", async () => {
    const { client, harness, idle, result, events } = await start([DONE], { Stop: () => undefined })
    while (client.called.length === 0) await new Promise((resolve) => setImmediate(resolve))
    harness.detach(client, true)
    await idle()
    expect(result()).toMatchObject({ result: "Done." })
    expect(payloadsOf(events(), "sdk:system/informational")).toMatchObject([{ tag: "hook_callback_failed" }])
  })

  it("is withdrawn when the turn is interrupted", async () => {
    const { client, runner, idle, events, turn } = await start([{ content: [call("Glob", { pattern: "*" })] }, DONE], {
      PreToolUse: () => undefined,
    })
    while (client.called.length === 0) await new Promise((resolve) => setImmediate(resolve))
    await runner.interrupt()
    await idle()
    expect(client.cancelled).toEqual([client.called[0]?.requestId])
    expect(problemsOf(events(), [turn])).toEqual([])
  })

  it.each(["the last event that it received", "the start"])(
    "is called again when the client reconnects from %s",
    async (from) => {
      let asked = 0
      const { client, harness, idle, result, log } = await start([DONE], {
        Stop: () => ((asked += 1) === 1 ? undefined : {}),
      })
      while (client.called.length === 0) await new Promise((resolve) => setImmediate(resolve))
      harness.detach(client, false)
      harness.attach(client, from === "the start" ? 0 : log.lastSeq)
      await idle()
      expect(client.called.map((one) => one.requestId)).toEqual([
        client.called[0]?.requestId,
        client.called[0]?.requestId,
      ])
      expect(result()).toMatchObject({ result: "Done." })
    },
  )
})

it("a UserPromptSubmit hook gives the session a title, which is announced once", async () => {
  const titles: Array<unknown> = []
  const UserPromptSubmit = ({ session_title: title }: Readonly<Record<string, unknown>>) => {
    titles.push(title)
    return { hookSpecificOutput: { hookEventName: "UserPromptSubmit", sessionTitle: "A title" } }
  }
  const { session, events, idle } = await start([DONE, DONE], { UserPromptSubmit })
  await idle()
  expect(session.record.title).toBe("A title")
  prompt(session, "again")
  await idle()
  expect(titles).toEqual([undefined, "A title"])
  const names = events().map(({ name }) => name)
  expect(names.filter((name) => name === "sdk:system/session_title_changed")).toHaveLength(1)
  expect(names.indexOf("sdk:system/session_title_changed")).toBeLessThan(names.indexOf("sdk:system/init"))
})
