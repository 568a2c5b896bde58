// A fake Perch for one test at a time: a test that needs one starts it, and it is closed when the test has ended.
import { afterEach } from "vitest"
import { type FakePerch, fakePerch, type FakePerchOptions } from "./fake-perch.ts"

export interface PerchPerTest {
  /** The server that the running test has started. */
  readonly server: FakePerch | undefined
  /** What the server was asked for, as "METHOD PATH". */
  sent(): ReadonlyArray<string> | undefined
  start(options?: FakePerchOptions): Promise<FakePerch>
  /** Closes the server before the test has ended. */
  close(): Promise<void>
}

export const perchPerTest = (defaults: FakePerchOptions = {}): PerchPerTest => {
  let server: FakePerch | undefined
  const close = async () => {
    await server?.close()
    server = undefined
  }
  afterEach(close)
  return {
    get server() {
      return server
    },
    sent: () => server?.requests.map(({ method, path }) => `${method} ${path}`),
    start: async (options = defaults) => {
      server = await fakePerch(options)
      return server
    },
    close,
  }
}
