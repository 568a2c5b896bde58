// Receives the address and the port in the options of `npm start`, `npm run signin` and `npm run doctor`; returns them in the
// form that sockets and URLs take. Loads on a Node that is too old, which the doctor reports.
// Invariant: the three commands understand an option alike, and reject a wrong value by name.
import net from "node:net"

/** An option's port. 0 is one: the system then chooses. */
export const readPort = (name, value) => {
  const port = Number(value)
  if (!/^\d+$/.test(value) || port > 65_535) throw new Error(`--${name} ${value} is not a port`)
  return port
}

export const readProtocol = (value) => {
  if (value !== "http" && value !== "https") throw new Error(`--local-protocol ${value} is neither http nor https`)
  return value
}

/** An IP address in canonical form and without brackets; undefined if it is not one. */
export const literal = (host) => {
  const bare = host.replace(/^\[(.*)\]$/, "$1")
  const family = net.isIP(bare)
  if (family === 4) return bare
  // A zone (fe80::1%eth0) is part of an address, and can't be part of a URL.
  if (family !== 6 || bare.includes("%")) return undefined
  return new URL(`http://[${bare}]`).hostname.slice(1, -1)
}

/** True for an address or a name that only this machine can reach. */
export const isLoopback = (host) => {
  const address = literal(host)
  if (address === undefined) return host.toLowerCase() === "localhost"
  return address === "::1" || address.startsWith("127.")
}

/** True for the addresses that listen on all that the machine has. */
export const isWildcard = (ip) => ip === "0.0.0.0" || ip === "::"

/** The address of `--ip`. `hint` continues the message of the error. */
export const readAddress = (ip, hint = "") => {
  const address = ip === "*" ? "0.0.0.0" : ip.toLowerCase() === "localhost" ? "127.0.0.1" : literal(ip)
  if (address === undefined) throw new Error(`--ip ${ip} is not an IP address${hint}`)
  return address
}

/** Where this machine reaches a server that listens on this address. */
export const urlOf = ({ protocol, ip, port }) => {
  const host = ip === "0.0.0.0" ? "127.0.0.1" : ip === "::" ? "::1" : ip
  return `${protocol}://${host.includes(":") ? `[${host}]` : host}:${port}`
}
