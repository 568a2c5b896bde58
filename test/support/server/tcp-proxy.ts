// A TCP proxy in front of a server, so that a test can cut a client's connections from outside.
import net from "node:net"

export interface TcpProxy {
  readonly url: string
  /** Cuts every connection; new ones wait until `resume`. */
  suspend(): void
  resume(): void
  close(): Promise<void>
}

export const startProxy = async (target: string): Promise<TcpProxy> => {
  const { hostname, port } = new URL(target)
  const sockets = new Set<net.Socket>()
  const waiting: Array<() => void> = []
  let suspended = false
  const join = (client: net.Socket) => {
    const upstream = net.connect({ host: hostname, port: Number(port) })
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from)
      from.setNoDelay(true)
      from.on("data", (chunk: Buffer) => to.write(chunk))
      // When either end breaks, for whatever reason, the other breaks too, as with a cut cable.
      from.on("error", () => to.destroy())
      from.on("close", () => {
        sockets.delete(from)
        to.destroy()
      })
    }
    client.resume()
  }
  const server = net.createServer({ pauseOnConnect: true }, (client) => {
    client.on("error", () => client.destroy())
    if (!suspended) return join(client)
    sockets.add(client)
    waiting.push(() => join(client))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address() as net.AddressInfo // it listens on TCP
  const drop = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: `http://127.0.0.1:${address.port}`,
    suspend: () => {
      suspended = true
      drop()
    },
    resume: () => {
      suspended = false
      for (const go of waiting.splice(0)) go()
    },
    close: async () => {
      drop()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
