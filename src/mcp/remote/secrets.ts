// Receives the configuration of a remote server; returns functions that redact its secrets in texts that the server sent or
// that describe it.
// Invariant: values of headers and of the URL's query are redacted wherever a server repeats them; words that any text may
// contain, such as the value of `accept-language`, stay in messages.
import { redact } from "../../net/redact.ts"
import type { RemoteConfig } from "./remote-config.ts"

const MASK = "[secret]"
const MIN_SECRET = 12

/** True for a text that could only be a secret: long, without spaces, and with a digit. */
const isDistinctive = (text: string): boolean => text.length >= MIN_SECRET && /\d/.test(text) && !/\s/.test(text)

const secretsOf = ({ url, headers, oauth }: RemoteConfig): ReadonlyArray<string> => {
  const values = Object.values(headers)
  // Includes the token of `Bearer TOKEN`.
  const words = values.flatMap((value) => value.split(/\s+/))
  const query = URL.canParse(url) ? [...new URL(url).searchParams.values(), new URL(url).hash.slice(1)] : []
  const { clientSecret = "", privateKey = "" } = oauth ?? {}
  // Each line of a key in PEM counts as a secret.
  const key = privateKey.split(/\s+/).filter((line) => line.length > MIN_SECRET)
  return [...new Set([...values, ...words, ...query, clientSecret, ...key].flatMap(written))].toSorted(byLength)
}

const byLength = (a: string, b: string): number => b.length - a.length

/** A text itself, and its escaped form in JSON. */
const written = (text: string): ReadonlyArray<string> => [text, JSON.stringify(text).slice(1, -1)]

export interface Cleaning {
  /** For JSON-RPC messages: redacts only distinctive secrets, so that the contents stay intact. */
  readonly message: (text: string) => string
  /** For messages about failures: redacts all secrets. */
  readonly failure: (text: string) => string
}

/** `more` returns secrets that change, such as tokens. */
export const cleaningOf = (config: RemoteConfig, more: () => ReadonlyArray<string> = () => []): Cleaning => {
  const all = secretsOf(config)
  const distinctive = all.filter(isDistinctive)
  return {
    message: (text) =>
      [...distinctive, ...more().filter(isDistinctive)].reduce((left, secret) => left.replaceAll(secret, MASK), text),
    failure: (text) => redact(text, [...all, ...more()]),
  }
}
