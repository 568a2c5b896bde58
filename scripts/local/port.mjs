// Receives a requested port and an address; returns a port that can be listened on.
import net from "node:net"

/** Resolves to the port when it can be listened on. */
const tryPort = (port, ip) =>
  new Promise((resolve, reject) => {
    const server = net.createServer()
    server.once("error", (error) => {
      const taken = error.code === "EADDRINUSE"
      reject(taken ? new Error(`port ${port} is taken: stop what uses it, or choose another with --port`) : error)
    })
    server.listen(port, ip, () => {
      const { port: claimed } = server.address()
      server.close(() => resolve(claimed))
    })
  })

/**
 * Resolves to a port that can be listened on; 0 becomes a free one below those that the system gives to any process that
 * asks, so that it is still free in the second before workerd takes it, and after a restart.
 */
export const claimPort = async (wanted, ip) => {
  for (let tries = 0; wanted === 0 && tries < 50; tries += 1) {
    const port = await tryPort(20_000 + Math.floor(Math.random() * 12_000), ip).catch(() => 0)
    if (port !== 0) return port
  }
  return tryPort(wanted, ip)
}
