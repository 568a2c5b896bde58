// Starts a server and a scripted Messages API that only one test file uses, because the file kills the server.
// Invariant: both end when the file's tests have ended, even if the other one could not be started.
import { afterAll } from "vitest"
import { ApiLog } from "../session/api-log.ts"
import { createFakeApi } from "../session/scripted-api.mjs"
import { PerchClient } from "./client.ts"
import { startServer } from "./server.ts"

/** Call it at the top level of a test file. */
export const startOwnServer = async () => {
  const fake = await createFakeApi()
  afterAll(() => fake.close())
  const server = await startServer({ apiUrl: fake.url })
  afterAll(() => server.dispose())
  /** Ends the server like a power failure, and starts it again. */
  const crash = async () => {
    await server.kill9()
    await server.restart()
  }
  return { fake, server, crash, perch: new PerchClient(server), api: new ApiLog(fake.url) }
}
