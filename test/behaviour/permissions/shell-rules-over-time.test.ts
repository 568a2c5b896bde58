// Rules for commands when a script outlives the decision that allowed it: in the background, after a crash, and when a client
// sends it.
import { once } from "node:events"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { afterEach, expect, it } from "vitest"
import type { SessionOptions } from "../../../src/schemas/sdk/options/options.ts"
import { BYPASS, DONE, loop, payloadsOf, toolResultsOf, until } from "../../support/session/loop.ts"
import { call, promptFor } from "../../support/session/scripts.ts"
import { eventsOf, prompt } from "../../support/session/session-harness.ts"
import { runKilled } from "../../support/values/killed.ts"

const { connected, harnessOf, scripted } = loop()

const DENIES: SessionOptions = { ...BYPASS, disallowedTools: ["Bash(rm:*)"] }
const NETWORK: SessionOptions = { ...BYPASS, shell_network: true }

const doors: Array<() => void> = []
afterEach(() => {
  for (const close of doors.splice(0)) close()
})

/** An address that counts its requests, and answers them at once or when it is opened. */
const door = async (open: boolean) => {
  const waiting: Array<ServerResponse> = []
  let came = 0
  const server = createServer((_, response) => {
    came += 1
    if (open) response.end("1")
    else waiting.push(response)
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  doors.push(() => server.close())
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    came: () => came,
    open: () => {
      for (const response of waiting.splice(0)) response.end("1")
    },
  }
}

const results = (log: Parameters<typeof eventsOf>[0]) => payloadsOf(eventsOf(log), "sdk:result/success")

it("a rule that is added while a command runs in the background applies to the rest of it", async () => {
  const gate = await door(false)
  const { session, log, workspace, client, idle } = await connected({}, NETWORK)
  workspace.writeBytes("/workspace/f", "keep")
  const command = `curl -s ${gate.url}; echo 'rm f' | sh; touch made`
  const script = scripted([{ content: [call("Bash", { command, run_in_background: true })] }, DONE, DONE])
  prompt(session, promptFor(script))
  await until(() => results(log).length === 1 && gate.came() === 1)
  await client.request("apply_flag_settings", { settings: { permissions: { deny: ["Bash(rm:*)"] } } })
  gate.open()
  await until(() => results(log).length === 2)
  await idle()
  expect(workspace.exists("/workspace/made")).toBe(true)
  expect(workspace.exists("/workspace/f")).toBe(true)
})

it.each([
  ["set_permission_mode", { mode: "plan" }],
  ["set_permission_mode", { mode: "dontAsk" }],
  ["apply_flag_settings", { settings: { permissions: { additionalDirectories: [] } } }],
])("a running script changes no file that %s %j has closed meanwhile", async (subtype, fields) => {
  const gate = await door(false)
  const { session, workspace, client, idle } = await connected(
    {},
    {
      permissionMode: "acceptEdits",
      permission_prompts: "deny",
      shell_network: true,
      allowedTools: ["Bash(curl:*)"],
    },
  )
  const settings = { permissions: { additionalDirectories: ["/other"] } }
  await client.request("apply_flag_settings", { settings })
  workspace.mkdir("/other")
  const command = `curl -s ${gate.url}; touch /other/made; echo x > /other/made`
  prompt(session, promptFor(scripted([{ content: [call("Bash", { command })] }, DONE])))
  await until(() => gate.came() === 1)
  await client.request(subtype, fields)
  gate.open()
  await idle()
  expect(workspace.exists("/other/made")).toBe(false)
})

it("a rule of the turn that started a background command applies to it after that turn has ended", async () => {
  const gate = await door(false)
  const { session, log, workspace, idle } = await connected({}, NETWORK)
  workspace.writeBytes("/workspace/f", "keep")
  const command = `curl -s ${gate.url}; echo 'rm f' | sh; touch made`
  const script = scripted([{ content: [call("Bash", { command, run_in_background: true })] }, DONE, DONE])
  prompt(session, promptFor(script), { disallowedTools: ["Bash(rm:*)"] })
  await until(() => results(log).length === 1 && gate.came() === 1)
  gate.open()
  await until(() => results(log).length === 2)
  await idle()
  expect(workspace.exists("/workspace/made")).toBe(true)
  expect(workspace.exists("/workspace/f")).toBe(true)
})

it("a call from outside a turn runs no denied command, and an unclear one is refused", async () => {
  const harness = harnessOf(DENIES)
  const { directCalls, workspace } = harness.boot()
  workspace.writeBytes("/workspace/f", "keep")
  const ran = await directCalls.call("Bash", { command: "echo 'rm f' | sh; touch made" })
  expect(ran).toMatchObject({ output: { stdout: expect.stringContaining("Bash(rm:*) denies") } })
  const unclear = await directCalls.call("Bash", { command: "x=rm; $x f" })
  expect(unclear).toMatchObject({ is_error: true, reason: "permission_denied" })
  expect(workspace.exists("/workspace/made")).toBe(true)
  expect(workspace.exists("/workspace/f")).toBe(true)
})

it("a script whose words may be evaluated runs at most once, wherever the process dies", async () => {
  for (const form of ["test -v 'a[$(CURL)]'", "printf -v 'a[$(CURL)]' x", "ls; test -v 'a[`CURL`]'"]) {
    for (let dieAfter = 1; ; dieAfter += 1) {
      const gate = await door(true)
      const command = form.replace("CURL", `curl -s ${gate.url}`)
      const script = scripted([{ content: [call("Bash", { command })] }, DONE])
      const { booted, died } = await runKilled(harnessOf(NETWORK), dieAfter, ({ session }) =>
        prompt(session, promptFor(script)),
      )
      expect([form, dieAfter, gate.came() <= 1]).toEqual([form, dieAfter, true])
      expect(toolResultsOf(eventsOf(booted.log))).toHaveLength(1)
      if (!died) {
        expect([form, gate.came()]).toEqual([form, 1])
        break
      }
    }
  }
})

it("a call that is repeated after a crash is judged by the rules that apply then", async () => {
  for (let dieAfter = 1; ; dieAfter += 1) {
    const script = scripted([{ content: [call("Bash", { command: "echo 'rm f' | sh; touch made" })] }, DONE])
    const { booted, died } = await runKilled(harnessOf(DENIES), dieAfter, ({ session, workspace }) => {
      workspace.writeBytes("/workspace/f", "keep")
      prompt(session, promptFor(script))
    })
    expect([dieAfter, booted.workspace.exists("/workspace/f")]).toEqual([dieAfter, true])
    expect([dieAfter, booted.workspace.exists("/workspace/made")]).toEqual([dieAfter, true])
    if (!died) break
  }
})
