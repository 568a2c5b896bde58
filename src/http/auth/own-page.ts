// Receives a request that means to sign in with a code; returns whether this machine's own page sent it to this machine.
// Invariant: no page of another origin, of a name that was made to resolve to this machine (DNS rebinding), and no proxy or
// tunnel in front of the server passes. Each check is enough on its own against one of them; a local program needs the code.
import type { Env } from "../../schemas/env.ts"
import { hostName } from "./local-hosts.ts"

const isLoopbackAddress = (text: string): boolean => /^(?:::ffff:)?127(?:\.\d{1,3}){3}$|^::1$/i.test(text)

/** True when the `Host` header names this machine itself; `--host` adds names, which this does not take. */
export const namesLoopback = (headers: Headers): boolean => {
  const name = hostName(headers.get("host") ?? undefined)
  if (name === undefined) return false
  return name === "localhost" || isLoopbackAddress(name.replace(/^\[(.*)\]$/, "$1"))
}

/** Whether this server signs pages in with codes: one that `npm start` runs on loopback. A deployment never does. */
export const signsInWithCodes = ({ PERCH_LOCAL_SIGN_IN, LOCAL_DISK }: Env): boolean =>
  PERCH_LOCAL_SIGN_IN === "true" && LOCAL_DISK !== undefined

/** What a proxy or a tunnel adds; Cloudflare's own network adds `cf-ray`. */
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
