// Receives an address that a hook or a tool would call; returns whether the server may.
// Invariant: what is not known to be public is refused: any spelling that the URL parser normalizes to a private, loopback,
// link-local, metadata or reserved address, names that only a local network knows, and names that spell such an address.
// Other names are not resolved here: resolve.ts does that.

const MAX_URL = 2000

/**
 * True for an http(s) URL without credentials whose host is public. `allowPrivate` accepts every host, for tests and
 * for hooks that run on the same machine as the server.
 */
export const isPublicUrl = (url: string, allowPrivate = false): boolean => {
  if (url.length > MAX_URL || !URL.canParse(url)) return false
  const { protocol, username, password, hostname } = new URL(url)
  if (protocol !== "http:" && protocol !== "https:") return false
  if (username !== "" || password !== "") return false
  return hostname !== "" && (allowPrivate || isPublicHost(hostname))
}

/** `hostname` is as the URL parser returns it: lower case, an IPv4 address in four decimal parts, IPv6 in brackets. */
export const isPublicHost = (hostname: string): boolean => {
  if (hostname.startsWith("[")) return isPublicV6(groupsOf(hostname.slice(1, -1)))
  const name = hostname.replace(/\.+$/, "")
  return V4.test(name) ? isPublicV4(name.split(".").map(Number)) : isPublicName(name)
}

/** True for a host that is an IP address, so that no name has to be resolved. */
export const isAddress = (hostname: string): boolean => hostname.startsWith("[") || V4.test(hostname)

const V4 = /^\d{1,3}(?:\.\d{1,3}){3}$/

/** Last labels that no public name has (RFC 2606, 6761, 6762, 7686, 8375, 9476, and common names of local networks). */
const LOCAL_SUFFIXES: ReadonlySet<string> = new Set([
  "localhost",
  "localdomain",
  "local",
  "internal",
  "intranet",
  "private",
  "corp",
  "home",
  "lan",
  "test",
  "example",
  "invalid",
  "onion",
  "alt",
  "arpa",
])

/** Domains whose names all resolve to this machine or to an address that the name spells. */
const WILDCARD_DOMAINS: ReadonlyArray<string> = [
  "nip.io",
  "sslip.io",
  "xip.io",
  "ip6.name",
  "localtest.me",
  "localho.st",
  "local.gd",
  "lvh.me",
  "vcap.me",
  "lacolhost.com",
  "localhost.direct",
  "traefik.me",
  "1u.ms",
  "rbndr.us",
  "backname.io",
]

const isPublicName = (name: string): boolean => {
  const labels = name.split(".")
  const last = labels.at(-1) ?? ""
  // No top-level domain begins with a digit: such a name is an address in a spelling that some resolvers accept.
  if (labels.length < 2 || labels.includes("") || LOCAL_SUFFIXES.has(last) || /^\d/.test(last)) return false
  return !WILDCARD_DOMAINS.some((domain) => name === domain || name.endsWith(`.${domain}`)) && !spellsClosedV4(name)
}

/** True for names such as `127.0.0.1.example.org` and `app-10-0-0-1.example.org`, which may resolve to the address they spell. */
const spellsClosedV4 = (name: string): boolean => {
  const found = name.matchAll(/(?<![^.-])(?=(\d{1,3})([.-])(\d{1,3})\2(\d{1,3})\2(\d{1,3})(?![^.-]))/g)
  return Array.from(found).some(([, a, , b, c, d]) => {
    const parts = [a, b, c, d].map(Number)
    return parts.every((part) => part < 256) && !isPublicV4(parts)
  })
}

/** Ranges that are not public: the address and the length of its prefix. */
const CLOSED_V4: ReadonlyArray<readonly [address: string, bits: number]> = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["168.63.129.16", 32], // the host of an Azure machine
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
]

const numberOf = (parts: ReadonlyArray<number>): number => parts.reduce((sum, part) => sum * 256 + part, 0)

const isPublicV4 = (parts: ReadonlyArray<number>): boolean => {
  const address = numberOf(parts)
  return !CLOSED_V4.some(([range, bits]) => {
    const size = 2 ** (32 - bits)
    return Math.floor(address / size) === Math.floor(numberOf(range.split(".").map(Number)) / size)
  })
}

/** The eight groups of an IPv6 address in the parser's form, where an embedded IPv4 address is two groups as well. */
const groupsOf = (address: string): ReadonlyArray<number> => {
  const [before = "", after] = address.split("::")
  const numbers = (text: string) => (text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16)))
  const head = numbers(before)
  if (after === undefined) return head
  const tail = numbers(after)
  return [...head, ...Array.from({ length: 8 - head.length - tail.length }, () => 0), ...tail]
}

/** True within global unicast (2000::/3), except for its ranges with another meaning. */
const isPublicV6 = (groups: ReadonlyArray<number>): boolean => {
  const [first = 0, second = 0] = groups
  if (first >> 13 !== 1) return false // loopback, mapped and NAT64 addresses, unique local, link-local, multicast
  if (first === 0x2001 && (second < 0x200 || second === 0x0db8)) return false // Teredo and others; documentation
  if (first === 0x2002) return false // 6to4: an IPv4 address
  if (first === 0x3fff && second < 0x1000) return false // documentation
  return groups[5] !== 0x5efe || (groups[4] !== 0 && groups[4] !== 0x200) // ISATAP: an IPv4 address
}
