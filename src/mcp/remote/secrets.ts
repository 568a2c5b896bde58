// Receives the configuration of a remote server; returns what takes its secrets out of texts that the server sent or that
// describe it.
// Invariant: a header's value and what comes after `?` in the address are secrets wherever a server repeats them; words
// that any text may hold, such as the value of `accept-language`, are left alone.
import { redact } from "../../net/redact.ts"
import type { RemoteConfig } from "./remote-config.ts"

const MASK = "[secret]"
const MIN_SECRET = 12

/** What could only be a secret: long, without spaces, and with a digit in it. */
const isDistinctive = (text: string): boolean => text.length >= MIN_SECRET && /\d/.test(text) && !/\s/.test(text)

const secretsOf = ({ url, headers, oauth }: RemoteConfig): ReadonlyArray<string> => {
  const values = Object.values(headers)
  // Of `Bearer TOKEN` the token.
  const words = values.flatMap((value) => value.split(/\s+/))
  const query = URL.canParse(url) ? [...new URL(url).searchParams.values(), new URL(url).hash.slice(1)] : []
  const { clientSecret = "", privateKey = "" } = oauth ?? {}
  // Of a key in PEM each line.
  const key = privateKey.split(/\s+/).filter((line) => line.length > MIN_SECRET)
  return [...new Set([...values, ...words, ...query, clientSecret, ...key].flatMap(written))].toSorted(byLength)
}

const byLength = (a: string, b: string): number => b.length - a.length

/** A text as it is, and as JSON writes it. */
const written = (text: string): ReadonlyArray<string> => [text, JSON.stringify(text).slice(1, -1)]

export interface Cleaning {
  /** For messages, whose other contents stay as they are. */
  readonly message: (text: string) => string
  /** For what people read of a failure. */
  readonly failure: (text: string) => string
}

/** `more` are secrets that change. */
export const cleaningOf = (config: RemoteConfig, more: () => ReadonlyArray<string> = () => []): Cleaning => {
  const all = secretsOf(config)
  const distinctive = all.filter(isDistinctive)
  return {
    message: (text) =>
      [...distinctive, ...more().filter(isDistinctive)].reduce((left, secret) => left.replaceAll(secret, MASK), text),
    failure: (text) => redact(text, [...all, ...more()]),
  }
}
