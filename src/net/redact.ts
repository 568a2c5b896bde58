// Receives a text that others wrote, such as an error of the platform or of the model's server; returns it without what
// looks like a secret.
// Invariant: keys, tickets, credentials and the queries of addresses are replaced by `[secret]`; the rest is unchanged.

const MASK = "[secret]"

/** Keys of Perch, of Anthropic, of OpenAI (which shows some with stars) and of webhooks, by their prefixes. */
const KEYS = /\b(?:perch_|sk-ant-|whsec_)[\w+/=-]+|\bsk-(?:proj-|svcacct-)?[\w*-]{16,}/g
/** Tickets: the id of the key that signed, claims that are a JSON object, and the signature. */
const TICKETS = /\b[0-9a-f]{8,32}\.eyJ[\w-]+\.[\w-]+/g
/** `authorization: …`, `x-api-key: …` and the fields of OAuth, as errors quote them, with the scheme before the secret. */
const NAMED =
  /(?<![a-z\d])((?:authorization|api[-_]?key|(?:access|refresh|id)_token|client_secret)\\?["']?\s*[:=])\s*\\?["']?(?:(?:Bearer|Basic|Token)\s+)?[^\s"',;]+/gi
/** `Bearer …` and `Basic …` without a name. Words of a sentence are kept: after `bearer` without a digit, after `Basic` in lower case. */
const SCHEMES =
  /\b(Bearer)\s+[^\s"',;]+|\b(bearer|BEARER)\s+(?=[^\s"',;]*\d)[^\s"',;]{8,}|\b(Basic)\s+(?=[\w+/=.-]*[A-Z\d=])[\w+/=.-]{8,}/g
/** An address and what follows its `?` or `#`. It also matches an address without either, which avoids quadratic backtracking. */
const QUERIES = /(\b(?:http|ws)s?:\/\/[^\s"'<>?#]*)(?:([?#])[^\s"'<>]*)?/gi
/** A user name, and a password, before the host of an address. */
const USERS = /(\b(?:http|ws)s?:\/\/)[^\s"'<>/@]*@/gi

/** `known` are secrets whose text is known; short ones are not replaced, since they may be ordinary words. */
export const redact = (text: string, known: ReadonlyArray<string> = []): string =>
  known
    .filter((secret) => secret.length >= MIN_KNOWN)
    .reduce((left, secret) => left.replaceAll(secret, MASK), text)
    .replace(USERS, `$1${MASK}@`)
    .replace(QUERIES, (_, address: string, mark?: string) =>
      mark === undefined ? address : `${address}${mark}${MASK}`,
    )
    .replace(KEYS, MASK)
    .replace(TICKETS, MASK)
    .replace(NAMED, `$1 ${MASK}`)
    .replace(SCHEMES, `$1$2$3 ${MASK}`)

const MIN_KNOWN = 8
