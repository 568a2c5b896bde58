// Receives a public name; asks a DNS-over-HTTPS resolver for its addresses, and returns whether all of them are public.
// Invariant: a name that can't be resolved is not public. A DNS record that changes between this query and the request
// itself is not noticed; that is harmless on Cloudflare, whose fetch reaches no private network.
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { isPublicHost } from "./public-address.ts"
import { readUpTo } from "./read-body.ts"

/** The resolver when the settings name no other: Cloudflare's own, in its JSON form. */
export const DEFAULT_RESOLVER = "https://cloudflare-dns.com/dns-query"

const MAX_ANSWER = 64 * 1024
const A = 1
const AAAA = 28

const Answer = Schema.Struct({
  Status: Schema.Int,
  Answer: Schema.optionalKey(Schema.Array(Schema.Struct({ type: Schema.Int, data: Schema.String }))),
})
const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Answer))

/** What a name resolves to: `missing` when it has no address, or the resolver did not answer both queries. */
export type Resolution = "public" | "private" | "missing"

/** Queries IPv4 and IPv6 addresses. Rejects only when `signal` aborts. */
export const resolveName = async (
  name: string,
  resolver: string,
  fetch: (url: string, init: RequestInit) => Promise<Response>,
  signal: AbortSignal,
): Promise<Resolution> => {
  const ask = async (type: number): Promise<ReadonlyArray<string> | null> => {
    const url = new URL(resolver)
    url.searchParams.set("name", name)
    url.searchParams.set("type", String(type))
    const response = await fetch(url.href, { headers: { accept: "application/dns-json" }, redirect: "manual", signal })
    const { bytes, cut } = await readUpTo(response.body, MAX_ANSWER)
    const answer = response.status === 200 && !cut ? decode(new TextDecoder().decode(bytes)) : Option.none()
    if (Option.isNone(answer) || answer.value.Status !== 0) return null
    return (answer.value.Answer ?? []).filter((one) => one.type === type).map(({ data }) => data)
  }
  const settled = await Promise.allSettled([ask(A), ask(AAAA)])
  signal.throwIfAborted()
  const found = settled.map((one) => (one.status === "fulfilled" ? one.value : null))
  // An answer that is not complete may lack a private address.
  if (found.includes(null)) return "missing"
  const addresses = found.flatMap((one) => one ?? [])
  if (addresses.length === 0) return "missing"
  return addresses.every(isPublicAnswer) ? "public" : "private"
}

const isPublicAnswer = (address: string): boolean => {
  const url = `http://${address.includes(":") ? `[${address}]` : address}/`
  return URL.canParse(url) && isPublicHost(new URL(url).hostname)
}
