// Receives an address from a text; returns it if the console may link to it.
// Invariant: only http, https and mailto addresses become links.

const SCHEMES: ReadonlySet<string> = new Set(["http:", "https:", "mailto:"])

/** Returns null for other schemes, and for relative addresses, because there is no page that they could be relative to. */
export const safeLink = (address: string): string | null => {
  try {
    const url = new URL(address)
    return SCHEMES.has(url.protocol) ? url.href : null
  } catch {
    return null
  }
}
