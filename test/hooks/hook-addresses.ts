// Addresses that no HTTP hook may have, in spellings that an attacker would try, in addition to those that nothing may fetch.
import { NO_HTTP_ADDRESS, PRIVATE } from "../net/closed-addresses.ts"

/** Spellings that the URL parser would repair, or whose meaning is not what they seem to be. */
const CROOKED = [
  "https://hooks.acme.com/\r\nx-evil: 1",
  "https://hooks.acme.com/\nGET / HTTP/1.1",
  "https://hooks.acme.com/\t",
  "ht\ttps://hooks.acme.com/",
  "https://hooks.ac\nme.com/",
  "https://127.0.\t0.1/",
  "https://hooks.acme.com/\u0000",
  "https://hooks.acme.com/\u007f",
  "https://hooks.acme.com/\u0085",
  "https://hooks.acme.com/\u00a0",
  "https://hooks.acme.com/\u2028",
  " https://hooks.acme.com/",
  "https://hooks.acme.com/ ",
  "https://hooks.acme.com/a b",
  "https://hooks.acme.com\\@10.0.0.1/",
  "https:\\\\hooks.acme.com\\a",
  "https://user@hooks.acme.com/",
  "https://:pass@hooks.acme.com/",
  "https://hooks.acme.com%40evil.com@10.0.0.1/",
  "wss://hooks.acme.com/",
  "unix:///var/run/docker.sock",
  "gopher://hooks.acme.com/",
  "https://hooks.acme.com:0x50/",
  "https://hooks.acme.com:65536/",
  "https://[::ffff:127.0.0.1%25lo]/",
  "https://hooks.acme.com/?***",
  "https://hooks.acme.com/#***",
]

/** Refused when a session is created or changed, and again when the hook is called. */
export const CLOSED_HOOKS: ReadonlyArray<string> = [
  ...PRIVATE,
  ...PRIVATE.map((url) => url.replace("http:", "https:")),
  ...NO_HTTP_ADDRESS,
]

/** Refused when a session is created or changed. */
export const REFUSED_HOOKS: ReadonlyArray<string> = [...CLOSED_HOOKS, ...CROOKED]

/** Names for which the resolver returns at least one private address. */
export const PRIVATE_ANSWERS: ReadonlyArray<
  readonly [name: string, a: ReadonlyArray<string>, aaaa: ReadonlyArray<string>]
> = [
  ["loopback.acme.com", ["127.0.0.1"], []],
  ["loopback6.acme.com", [], ["::1"]],
  ["mapped.acme.com", [], ["::ffff:10.0.0.1"]],
  ["metadata.acme.com", ["169.254.169.254"], []],
  ["metadata6.acme.com", [], ["fd00:ec2::254"]],
  ["cgnat.acme.com", ["100.64.0.1"], []],
  ["benchmark.acme.com", ["198.18.0.1"], []],
  ["multicast.acme.com", ["224.0.0.1"], []],
  ["unspecified.acme.com", ["0.0.0.0"], []],
  ["private.acme.com", ["10.1.2.3"], []],
  ["half.acme.com", ["93.184.216.34"], ["fe80::1"]],
  ["second.acme.com", ["93.184.216.34", "192.168.0.1"], []],
  ["xn--bcher-kva.example.org", ["172.16.0.1"], []],
  ["trailing.acme.com.", ["127.0.0.1"], []],
]

/** Headers that no hook may set, or that no request can contain. */
export const REFUSED_HEADERS: ReadonlyArray<Readonly<Record<string, string>>> = [
  ...[
    "host",
    "Host",
    "content-length",
    "Transfer-Encoding",
    "connection",
    "keep-alive",
    "te",
    "trailer",
    "upgrade",
    "expect",
    "content-type",
    "content-encoding",
    "proxy-connection",
    "webhook-id",
    "Webhook-Signature",
    "webhook-timestamp",
    "x-perch-fetch",
    "X-Perch-Session-Id",
    "perch-session-id",
    "sec-fetch-mode",
    "cf-connecting-ip",
  ].map((name) => ({ [name]: "canary-value" })),
  { "x-key": "canary-value\r\nx-evil: 1" },
  { "x-key": "canary-value\n" },
  { "x-key": "canary-value\r" },
  { "x-key": "canary-value\u0000" },
  { "x-key": "canary-value\u007f" },
  { "x-key": "canary-value\u2028" },
  { "x-key": "canary-value ✓" },
  { "x-key": "***" },
  { "x key": "canary-value" },
  { "x-key\r\nx-evil": "canary-value" },
  { "x-key:": "canary-value" },
  { "": "canary-value" },
  { "x-ключ": "canary-value" },
  { "X-Key": "canary-value", "x-key": "canary-value" },
]
