// Commands that reach their time limit while their turn waits for them: as in the official SDK, they continue in the background.
import { expect, it } from "vitest"
import { BYPASS, DONE, loop, payloadsOf, toolResultsOf, until } from "../../support/session/loop.ts"
import { call, textAnswer } from "../../support/session/scripts.ts"
import { closedDoor } from "../../support/values/closed-door.ts"
import { holdTimers } from "../../support/values/held-timers.ts"

const { start } = loop()

const NETWORK = { ...BYPASS, shell_network: true }

/** A time limit that no other timer has: it is over when a test fires it. */
const LIMIT_MS = 1_001

type Events = Parameters<typeof payloadsOf>[0]

const bash = (command: string, more: object) => call("Bash", { command, description: "d", ...more })
const calls = (...uses: ReadonlyArray<ReturnType<typeof call>>) => ({ content: uses })

const results = (events: Events) => payloadsOf(events, "sdk:result/success")
const outputs = (events: Events) =>
  payloadsOf(events, "sdk:user").flatMap(({ tool_use_result: output }) => (output === undefined ? [] : [output]))
const notifications = (events: Events) => payloadsOf(events, "sdk:system/task_notification")

it("a command that reaches its time limit continues in the background, with what it has printed so far", async () => {
  const [timers, door] = [holdTimers(LIMIT_MS), await closedDoor()]
  const command = `echo; echo begun; curl -s ${door.url}; echo x > made; echo end`
  const use = bash(command, { timeout: LIMIT_MS })
  const { events, workspace, idle } = await start(
    [calls(use), textAnswer("Waiting."), textAnswer("It ended.")],
    {},
    NETWORK,
  )
  await until(() => door.waiting() === 1)
  timers.fire(LIMIT_MS)
  await until(() => results(events()).length === 1)
  door.open()
  await until(() => results(events()).length === 2)
  await idle()
  const all = events()
  const [notified] = notifications(all)
  expect(outputs(all)).toEqual([
    {
      stdout: "begun",
      stderr: "",
      interrupted: false,
      isImage: false,
      noOutputExpected: false,
      backgroundTaskId: notified?.["task_id"],
      timedOutAfterMs: LIMIT_MS,
    },
  ])
  expect(results(all).map(({ result }) => result)).toEqual(["Waiting.", "It ended."])
  expect(notified).toMatchObject({ status: "completed", tool_use_id: use.id })
  expect(workspace.readText(String(notified?.["output_file"]))).toBe("\nbegun\nend\n[exit code 0]\n")
  expect(workspace.readText("/workspace/made")).toBe("x\n")
})

it.each(["sleep 30; echo x", "# wait\n sleep 30"])(
  "a command that begins with sleep is stopped at its time limit: %j",
  async (command) => {
    const { events, idle } = await start([calls(bash(command, { timeout: 30 })), DONE], {}, BYPASS)
    await idle()
    expect(toolResultsOf(events())).toMatchObject([
      { is_error: true, content: "Exit code 143\nCommand timed out after 0s" },
    ])
    expect(payloadsOf(events(), "sdk:system/task_started")).toEqual([])
  },
)

it("a command is stopped at its time limit if as many commands as are allowed run in the background", async () => {
  const four = Array.from({ length: 4 }, () => bash("sleep 30", { run_in_background: true }))
  const [timers, door] = [holdTimers(LIMIT_MS), await closedDoor()]
  const fifth = bash(`echo begun; curl -s ${door.url}`, { timeout: LIMIT_MS })
  const { background, events, idle } = await start([calls(...four), calls(fifth), DONE], {}, NETWORK)
  await until(() => door.waiting() === 1)
  timers.fire(LIMIT_MS)
  await until(() => results(events()).length === 1)
  expect(toolResultsOf(events()).at(-1)).toMatchObject({
    is_error: true,
    content: "Exit code 143\nCommand timed out after 1s\nbegun",
  })
  expect(background.running()).toHaveLength(4)
  background.stopRunning("all")
  await idle()
  expect(background.running()).toEqual([])
})
