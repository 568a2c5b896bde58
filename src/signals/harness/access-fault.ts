// Receives the key and the address of a model's server; returns the reason why no request can be sent with them, or null.
// Invariant: the reason contains neither the key nor the address.

/** A key that is valid in a header: ASCII without spaces and line breaks. */
const KEY = /^[\x21-\x7e]+$/

/** `whose` is the name of the harness, for the message. */
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
