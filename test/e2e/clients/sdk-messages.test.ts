// The messages that a client of a real server receives, including partial messages: each decodes with the type of its name.
import { Result } from "effect"
import { expect, inject, it } from "vitest"
import { decodeSdkMessage } from "../../../src/schemas/sdk/messages/messages.ts"
import { ApiLog } from "../../support/session/api-log.ts"
import { PerchClient } from "../../support/server/client.ts"
import { call, promptFor, scriptName, text, textAnswer } from "../../support/session/scripts.ts"

const shared = inject("shared")
const perch = new PerchClient(shared)
const api = new ApiLog(shared.apiUrl)

it("a streamed turn contains only messages of the SDK", async () => {
  const name = scriptName("sdk-messages")
  await api.set(name, [
    {
      content: [
        { type: "thinking", thinking: "Hm.", signature: "c2ln" },
        text("I look."),
        call("Read", { file_path: "/workspace/x.txt" }),
      ],
    },
    textAnswer("Done."),
  ])
  const id = await perch.createSession({ includePartialMessages: true }, { "/workspace/x.txt": "x\n" })
  const messages = await perch.query(id, promptFor(name))
  const members = messages.map((message) => {
    const decoded = Result.getOrThrow(decodeSdkMessage(message))
    expect(decoded.message).toStrictEqual(message)
    return decoded.member
  })
  expect(members).not.toContain("unknown")
  expect([...new Set(members)].toSorted()).toEqual([
    "assistant",
    "result/success",
    "stream_event",
    "system/init",
    "system/session_state_changed",
    "system/status",
    "system/thinking_tokens",
    "user",
  ])
})
