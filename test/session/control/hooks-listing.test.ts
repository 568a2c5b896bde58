// The answer to `get_hooks_listing`, with the official SDK's type: one page of a session's hooks.
import { Schema } from "effect"
import { expect, it } from "vitest"
import { ControlAnswers } from "../../../src/schemas/sdk/control/control-responses.ts"
import { HOOK_STATUS } from "../../../src/schemas/sdk/status/hook-status.ts"
import { hooksListing } from "../../../src/session/control/hooks-listing.ts"
import { loop } from "../../support/session/loop.ts"

const { connected } = loop()
const decoded = Schema.decodeUnknownSync(ControlAnswers.get_hooks_listing)

it("has a row for each hook, in the order of the events, and the count of each event", () => {
  const { events, hooks } = decoded(
    hooksListing(
      {
        Stop: [{ hookCallbackIds: ["hook_1"], timeout: 5 }],
        PreToolUse: [{ matcher: "Bash", hookCallbackIds: ["hook_0"] }],
      },
      {
        Stop: [
          {
            hooks: [
              { type: "http", url: "https://example.com/hook?token=secret", headers: { authorization: "secret" } },
            ],
          },
        ],
      },
    ),
  )
  expect(events).toMatchObject([
    { name: "PreToolUse", supportsMatcher: true, hookCount: 1 },
    { name: "Stop", supportsMatcher: false, hookCount: 2 },
  ])
  expect(hooks).toMatchObject([
    { event: "PreToolUse", matcher: "Bash", type: "callback", commandText: "hook_0", timeout: 60 },
    { event: "Stop", matcher: "", type: "callback", commandText: "hook_1", timeout: 5 },
    { event: "Stop", matcher: "", type: "http", commandText: "https://example.com/hook?***", contentLabel: "URL" },
  ])
  expect(JSON.stringify(hooks)).not.toContain("secret")
})

it("names every event that fires, even if no hook listens to it", () => {
  const fired = Object.entries(HOOK_STATUS).flatMap(([name, { status }]) => (status === "never" ? [] : [name]))
  const { events, eventCatalog } = decoded(hooksListing({}, {}))
  expect(events).toEqual([])
  expect(eventCatalog.map(({ name }) => name).toSorted()).toEqual(fired.toSorted())
})

it("is what a client of the session receives", async () => {
  const { client } = await connected({ Stop: {} })
  const { response } = await client.request("get_hooks_listing")
  expect(decoded(response).hooks).toMatchObject([{ event: "Stop", type: "callback", commandText: "Stop" }])
})
