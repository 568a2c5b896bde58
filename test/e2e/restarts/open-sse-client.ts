// An SSE client of the official browser SDK in the middle of a turn, while the server is killed. For restart.test.ts.
import { expect } from "vitest"
import type { ApiLog } from "../../support/session/api-log.ts"
import { openBrowserClient } from "../../support/server/browser-client.ts"
import { eventually, type PerchClient } from "../../support/server/client.ts"
import { call, promptFor, scriptName, textAnswer } from "../../support/session/scripts.ts"
import { startProxy } from "../../support/server/tcp-proxy.ts"

export interface OpenSseClient {
  /** Call it when the server runs again. */
  readonly expectRest: () => Promise<void>
  readonly close: () => Promise<void>
}

export const openSseClient = async (perch: PerchClient, api: ApiLog): Promise<OpenSseClient> => {
  const [name, next] = [scriptName("kill"), scriptName("after")]
  const bash = call("Bash", { command: "echo one", description: "Say one" })
  // The answer that the kill interrupts, and the one that is requested again.
  const held = { ...textAnswer("Second."), hold: { gate: `${name}-gate` } }
  await api.set(name, [{ content: [bash] }, [held, textAnswer("Second.")]])
  await api.set(next, [textAnswer("Third.")])
  const id = await perch.createSession({ permissionMode: "default", allowedTools: ["Bash"] })
  const loggedSeqs = async () =>
    (await perch.events(id)).filter((event) => event.name.startsWith("sdk:")).map(({ seq }) => seq)
  const proxy = await startProxy(perch.url)
  const client = openBrowserClient({ url: proxy.url, key: perch.key }, id, "sse")
  client.prompt(promptFor(name))
  await eventually(async () => ((await api.requests(name)).length === 2 ? true : undefined))
  await eventually(async () => (client.messages.some(({ type }) => type === "user") ? true : undefined))
  // While the server is down its port accepts no connection: the client waits at the proxy, however long a start takes.
  proxy.suspend()
  return {
    expectRest: async () => {
      proxy.resume()
      const messages = await client.results(1)
      expect(messages.findLast(({ type }) => type === "result")).toMatchObject({
        subtype: "success",
        result: "Second.",
      })
      client.prompt(promptFor(next))
      await client.results(2)
      await eventually(async () => (client.seqs().length >= (await loggedSeqs()).length ? true : undefined))
      expect(client.seqs()).toEqual(await loggedSeqs())
    },
    close: async () => {
      await client.close()
      await proxy.close()
    },
  }
}
