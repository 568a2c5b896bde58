// An address that answers nothing until a test opens it: a command that requests it runs until then.
import { once } from "node:events"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { onTestFinished } from "vitest"

export interface ClosedDoor {
  readonly url: string
  /** The number of requests that wait. */
  readonly waiting: () => number
  /** Answers the requests that wait, and each later one at once. */
  readonly open: () => void
}

/** Call it within a test. Commands that request it need the option `shell_network`. */
export const closedDoor = async (): Promise<ClosedDoor> => {
  const waiting: Array<ServerResponse> = []
  let isOpen = false
  const server = createServer((_, response) => {
    if (isOpen) response.end()
    else waiting.push(response)
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo // a TCP server that listens has one
  return {
    url: `http://127.0.0.1:${port}/`,
    waiting: () => waiting.length,
    open: () => {
      isOpen = true
      for (const response of waiting.splice(0)) response.end()
    },
  }
}
