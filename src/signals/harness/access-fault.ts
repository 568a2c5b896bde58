// Receives the key and the address of a model's server; returns why no request can be sent with them, or null.
// Invariant: what it returns names neither of them.

/** A key as a header holds it: without spaces and line breaks, in ASCII. */
const KEY = /^[\x21-\x7e]+$/

/** `whose` is the harness, for its user. */
export const accessFault = (
  whose: string,
  { apiKey, baseUrl }: { readonly apiKey: string | undefined; readonly baseUrl: string | undefined },
): string | null => {
  if (apiKey !== undefined && !KEY.test(apiKey)) {
    return `${whose} has an API key that is not valid in a header. Check it for spaces, line breaks and characters beyond ASCII.`
  }
  if (baseUrl === undefined) return null
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : null
  const isUsable = url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === ""
  return isUsable ? null : `${whose} has no valid base URL. Set an http or https URL without credentials.`
}
