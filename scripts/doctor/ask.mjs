// Receives an address and headers; returns what answered, or why nothing did.
// Invariant: it never follows a redirect, so that a key goes to the host that was named and to no other.
import http from "node:http"
import https from "node:https"

const WITHIN_MS = 10_000
const MOST_BYTES = 1_000_000

/** Whether only this machine answers at the host of the address. */
export const isLocal = (url) => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(url).hostname)

/** `status`, the body as JSON (null when it is none) and when the server sent it; or `error`, a code such as ECONNREFUSED. */
export const ask = (url, headers = {}) =>
  new Promise((resolve) => {
    const client = url.startsWith("https:") ? https : http
    // A local server signs its own certificate.
    const options = { headers, agent: false, rejectUnauthorized: !isLocal(url) }
    const request = client.get(url, options, (response) => {
      let body = ""
      response.setEncoding("utf8")
      response.on("data", (chunk) => (body.length < MOST_BYTES ? (body += chunk) : request.destroy()))
      response.once("error", ({ code }) => resolve({ error: code ?? "ERROR" }))
      response.once("end", () => {
        let json = null
        try {
          json = JSON.parse(body)
        } catch {
          // Not Perch, or something between.
        }
        resolve({ status: response.statusCode, json, date: Date.parse(response.headers.date ?? "") })
      })
    })
    request.setTimeout(WITHIN_MS, () => request.destroy(Object.assign(new Error("timeout"), { code: "ETIMEDOUT" })))
    request.once("error", ({ code }) => resolve({ error: code ?? "ERROR" }))
  })
