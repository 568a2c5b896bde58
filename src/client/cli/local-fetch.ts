// Returns the `fetch` of a program that connects to one server. A local server with `--local-protocol https` has a certificate
// that no authority has signed, so it is not verified there; no other machine can answer on a loopback address.
// Invariant: every other server's certificate is verified.
import https from "node:https"
import { Readable } from "node:stream"

/** The `fetch` for a server with this address. */
export const fetchOf = (url: string): typeof fetch =>
  isLoopbackHttps(url) ? unverified : (input, init) => fetch(input, init)

const isLoopbackHttps = (url: string): boolean => {
  if (!URL.canParse(url)) return false
  const { protocol, hostname } = new URL(url)
  return protocol === "https:" && /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname)
}

/** As `fetch`, without verification of the certificate; a redirect is not followed. */
const unverified: typeof fetch = async (input, init) => {
  const request = new Request(input, init)
  if (!isLoopbackHttps(request.url)) return fetch(request)
  const { method, url, headers, signal } = request
  const body = new Uint8Array(await request.arrayBuffer())
  return new Promise((resolve, reject) => {
    const options = { method, headers: Object.fromEntries(headers), signal, rejectUnauthorized: false }
    const sent = https.request(url, options, (answer) => {
      const { statusCode: status = 0, headersDistinct } = answer
      const names = Object.entries(headersDistinct).flatMap(([name, values = []]) =>
        values.map((value): [string, string] => [name, value]),
      )
      // The types of Node's own streams and of the platform's differ; the values are the same.
      const content = Readable.toWeb(answer) as unknown as ReadableStream<Uint8Array<ArrayBuffer>>
      const isEmpty = status === 204 || status === 205 || status === 304 || method === "HEAD"
      resolve(new Response(isEmpty ? null : content, { status, headers: names }))
    })
    sent.once("error", (cause) => reject(signal.aborted ? signal.reason : new TypeError("fetch failed", { cause })))
    sent.end(body)
  })
}
