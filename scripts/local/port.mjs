// Receives a requested port, an address and the option that names the port; returns a port that can be listened on.
import net from "node:net"

/** Why a port can't be listened on, by the code of the error. */
const REASONS = {
  EADDRINUSE: ({ port, option }) => `port ${port} is taken: stop what uses it, or choose another with --${option}`,
  EADDRNOTAVAIL: ({ ip }) => `this machine has no address ${ip}: give one that it has with --ip`,
  EACCES: ({ port, option }) => `this user may not listen on port ${port}: choose another with --${option}`,
}

/** Resolves to the port when it can be listened on. */
const tryPort = (port, ip, option) =>
  new Promise((resolve, reject) => {
    const server = net.createServer()
    server.once("error", (error) => {
      const message = REASONS[error.code]?.({ port, ip, option })
      reject(message === undefined ? error : new Error(message, { cause: error }))
    })
    server.listen(port, ip, () => {
      const { port: claimed } = server.address()
      server.close(() => resolve(claimed))
    })
  })

const LOWEST = 20_000
const PORTS = 12_000
const STRIDE = 997
let candidates = 0

/** A port below those that the system gives to any process that asks. Processes that start together get different ones. */
const candidate = () => LOWEST + ((process.pid + STRIDE * candidates++) % PORTS)

/**
 * Resolves to a port that can be listened on; 0 becomes a free one that is still free in the second before workerd takes it,
 * and after a restart.
 */
export const claimPort = async (wanted, ip, option = "port") => {
  for (let tries = 0; wanted === 0 && tries < 50; tries += 1) {
    const port = await tryPort(candidate(), ip, option).catch(() => 0)
    if (port !== 0) return port
  }
  return tryPort(wanted, ip, option)
}
