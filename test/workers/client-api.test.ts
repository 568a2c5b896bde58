// The portable client inside workerd: it needs only what a Worker has.
import { SELF } from "cloudflare:test"
import { expect, it } from "vitest"
import { NotFoundError, perchClient, perchSessions } from "../../src/client/api/entry.ts"

const server = {
  url: "https://perch.test",
  apiKey: "test-root-key-of-at-least-32-characters",
  fetch: ((input, init) => SELF.fetch(input, init)) as typeof fetch,
}

it("the client runs turns, answers, follows the log and handles files in a Worker", async () => {
  const client = perchClient(server)
  const session = await client.createSession({ options: { permissionMode: "default" } })
  const asked: Array<string> = []
  const outcome = await session.query("Create a.txt with the text: from a Worker", {
    onAsk: ({ tool_name }) => {
      asked.push(tool_name)
      return { behavior: "allow" }
    },
  })
  expect([outcome.status, asked]).toEqual(["finished", ["Write"]])
  const types: Array<string> = []
  for await (const message of session.stream("Read a.txt")) types.push(message.type)
  expect([types[0], types.at(-1)]).toEqual(["system", "result"])
  let results = 0
  for await (const { message } of session.events()) if (message.type === "result" && (results += 1) === 2) break
  expect(await session.files.readText("/workspace/a.txt")).toBe("from a Worker")
  const archive = new Uint8Array(await new Response(await session.files.download({ path: "/workspace" })).arrayBuffer())
  expect(await session.files.upload(archive, { path: "/copy" })).toMatchObject({ files: 1 })
  await expect(session.files.read("/nothing")).rejects.toBeInstanceOf(NotFoundError)
  const sdk = perchSessions(server)
  expect((await sdk.getSessionMessages(session.id)).length).toBeGreaterThan(4)
  await sdk.deleteSession(session.id)
  expect(await sdk.getSessionInfo(session.id)).toBeUndefined()
})
