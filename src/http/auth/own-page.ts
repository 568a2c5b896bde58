// Receives a request to sign in with a code; returns whether a page of this local server sent it from this machine.
// Invariant: requests of pages of another origin or of a host name that was made to resolve to this machine (DNS rebinding),
// and requests through a proxy or tunnel are refused. Each check alone blocks one of these; a local program needs the code.
import type { Env } from "../../schemas/env.ts"
import { hostName } from "./local-hosts.ts"

const isLoopbackAddress = (text: string): boolean => /^(?:::ffff:)?127(?:\.\d{1,3}){3}$|^::1$/i.test(text)

/** Whether the `Host` header is localhost or a loopback address; names that `--host` adds do not count. */
export const namesLoopback = (headers: Headers): boolean => {
  const name = hostName(headers.get("host") ?? undefined)
  if (name === undefined) return false
  return name === "localhost" || isLoopbackAddress(name.replace(/^\[(.*)\]$/, "$1"))
}

/** Whether this server has sign-in codes: only one that `npm start` runs on loopback has, a deployment never does. */
export const signsInWithCodes = ({ PERCH_LOCAL_SIGN_IN, LOCAL_DISK }: Env): boolean =>
  PERCH_LOCAL_SIGN_IN === "true" && LOCAL_DISK !== undefined

/** Headers that proxies and tunnels add; Cloudflare's network adds `cf-ray`. */
const ADDED_BY_PROXIES = ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via", "cf-ray"]

export const fromOwnPage = (headers: Headers): boolean => {
  const host = headers.get("host")?.toLowerCase()
  const origin = headers.get("origin")?.toLowerCase()
  const site = headers.get("sec-fetch-site")
  const address = headers.get("cf-connecting-ip")
  return (
    namesLoopback(headers) &&
    (origin === `http://${host}` || origin === `https://${host}`) &&
    (site === null || site === "same-origin") &&
    (address === null || isLoopbackAddress(address)) &&
    ADDED_BY_PROXIES.every((name) => !headers.has(name))
  )
}
