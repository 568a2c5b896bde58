// One Chromium for all files of the browser tests, begun by the first that asks for it.
// Invariant: it ends with the test run; files reach it over a loopback address, since they run in other processes.
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { type BrowserServer, chromium } from "playwright-core"
import { findChromium } from "../../../scripts/chromium.mjs"

export interface Launcher {
  /** `GET` it for the address of the browser's WebSocket. */
  readonly url: string
  readonly close: () => Promise<void>
}

const launch = (): Promise<BrowserServer> => {
  const executablePath = findChromium()
  if (executablePath === undefined) throw new Error("There is no Chromium: run `node scripts/chromium.mjs`.")
  // All pages are of one site: a process for each costs as much as to load the page.
  const shared = ["--process-per-site", "--disable-site-isolation-trials"]
  const args = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", ...shared]
  return chromium.launchServer({ executablePath, args, host: "127.0.0.1" })
}

export const startLauncher = async (): Promise<Launcher> => {
  let browser: Promise<BrowserServer> | undefined
  const server = createServer((_request, response) => {
    browser ??= launch()
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
      await browser?.then((launched) => launched.close()).catch(() => undefined)
    },
  }
}
