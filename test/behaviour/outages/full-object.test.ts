// A session whose object has reached its size limit: it starts and its alarms run, so that it can be read and files deleted, and
// what could not be written is written once there is space again.
import { describe, expect, it, vi } from "vitest"
import { BYPASS, DONE, loop, until } from "../../support/session/loop.ts"
import { call, promptFor } from "../../support/session/scripts.ts"
import { eventsOf, prompt, type SessionHarness } from "../../support/session/session-harness.ts"

const own = loop()

/** From now on every statement that writes fails, as SQLite reports it. */
const fill = ({ twin: { sql } }: SessionHarness) => {
  vi.spyOn(console, "error").mockImplementation(() => undefined)
  const { exec } = sql
  return vi.spyOn(sql, "exec").mockImplementation((query, ...bindings) => {
    if (!/^\s*(?:SELECT|WITH)/i.test(query)) throw new Error("database or disk is full: SQLITE_FULL")
    return exec(query, ...bindings)
  })
}

const notificationsOf = (log: Parameters<typeof eventsOf>[0]) =>
  eventsOf(log).filter(({ name }) => name === "sdk:system/task_notification")

describe("a full object", () => {
  it("starts although a background command died with its process, and writes its end when there is space", async () => {
    const harness = own.harnessOf()
    const sleep = { command: "sleep 100", description: "d", run_in_background: true }
    let booted = harness.boot()
    prompt(booted.session, promptFor(own.scripted([{ content: [call("Bash", sleep)] }, DONE, DONE])))
    await until(() => eventsOf(booted.log).some(({ name }) => name.startsWith("sdk:result")))
    harness.crash()
    const full = fill(harness)
    booted = harness.boot()
    expect(booted.background.running()).toHaveLength(1)
    booted.background.recover()
    expect(notificationsOf(booted.log)).toHaveLength(0)
    full.mockRestore()
    booted.background.recover()
    await booted.idle()
    expect(notificationsOf(booted.log)).toMatchObject([{ payload: { status: "failed", reason: "worker_restart" } }])
  })

  it("starts although a question of an MCP server lost its connection, and settles asks when there is space", async () => {
    const harness = own.harnessOf({ ...BYPASS, ask_timeout_ms: 60_000 })
    let booted = harness.boot()
    const ask = { tool_name: "", tool_use_id: "", input: {}, detached: true } as const
    booted.session.asks.open("none", { ...ask, request_id: crypto.randomUUID(), kind: "elicitation" }, [])
    booted.session.asks.open("none", { ...ask, request_id: crypto.randomUUID(), kind: "permission" }, [])
    harness.crash()
    const full = fill(harness)
    booted = harness.boot()
    const now = Date.now()
    vi.spyOn(Date, "now").mockReturnValue(now + 120_000)
    booted.session.asks.expire()
    expect(booted.session.askStore.open).toHaveLength(2)
    full.mockRestore()
    booted.session.asks.expire()
    expect(booted.session.askStore.open).toHaveLength(0)
    vi.restoreAllMocks()
  })
})
