// Starts a Chromium for each process that runs browser tests, on request: in one shared Chromium, the pages of different tests
// would wait for each other's scripts.
// Invariant: all of them end with the test run; tests reach theirs over a loopback address.
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { type BrowserServer, chromium } from "playwright-core"
import { findChromium } from "../../../scripts/chromium.mjs"

export interface Launcher {
  /** A `GET` request to it starts a browser; the answer is the address of that browser's WebSocket. */
  readonly url: string
  readonly close: () => Promise<void>
}

const launch = (): Promise<BrowserServer> => {
  const executablePath = findChromium()
  if (executablePath === undefined) throw new Error("There is no Chromium: run `node scripts/chromium.mjs`.")
  // All pages of a browser share one renderer process, because starting a process takes as long as loading a page.
  const shared = ["--process-per-site", "--disable-site-isolation-trials"]
  const args = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", ...shared]
  return chromium.launchServer({ executablePath, args, host: "127.0.0.1" })
}

export const startLauncher = async (): Promise<Launcher> => {
  const browsers: Array<Promise<BrowserServer>> = []
  const server = createServer((_request, response) => {
    const browser = launch()
    browsers.push(browser)
    browser.then(
      (launched) => response.end(launched.wsEndpoint()),
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo // a TCP server that listens
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      server.close()
      await Promise.allSettled(browsers.map((browser) => browser.then((launched) => launched.close())))
    },
  }
}
