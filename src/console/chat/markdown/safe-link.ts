// Receives an address out of a text; returns it when the console links to it.
// Invariant: nothing but http, https and mailto is linked.

const SCHEMES: ReadonlySet<string> = new Set(["http:", "https:", "mailto:"])

/** Null for other schemes and for addresses that are relative to something: there is no page that they belong to. */
export const safeLink = (address: string): string | null => {
  try {
    const url = new URL(address)
    return SCHEMES.has(url.protocol) ? url.href : null
  } catch {
    return null
  }
}
