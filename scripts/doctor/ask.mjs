// Receives an address and headers; returns the answer, or why there is none.
// Invariant: it never follows a redirect, so that a key is sent only to the given host.
import http from "node:http"
import https from "node:https"
import { isLoopback } from "../local/address.mjs"

const WITHIN_MS = 10_000
const MAX_BYTES = 1_000_000

/** Whether the address's host is this machine. */
export const isLocal = (url) => isLoopback(new URL(url).hostname)

/** `status`, the body as JSON (null if it is not) and the server's date; or `error`, a code such as ECONNREFUSED. */
export const ask = (url, headers = {}) =>
  new Promise((resolve) => {
    const client = url.startsWith("https:") ? https : http
    // A local server has a self-signed certificate.
    const options = { headers, agent: false, rejectUnauthorized: !isLocal(url) }
    const request = client.get(url, options, (response) => {
      let body = ""
      response.setEncoding("utf8")
      response.on("data", (chunk) => (body.length < MAX_BYTES ? (body += chunk) : request.destroy()))
      response.once("error", ({ code }) => resolve({ error: code ?? "ERROR" }))
      response.once("end", () => {
        let json = null
        try {
          json = JSON.parse(body)
        } catch {
          // The answer is not from Perch, or from a proxy in between.
        }
        resolve({ status: response.statusCode, json, date: Date.parse(response.headers.date ?? "") })
      })
    })
    request.setTimeout(WITHIN_MS, () => request.destroy(Object.assign(new Error("timeout"), { code: "ETIMEDOUT" })))
    request.once("error", ({ code }) => resolve({ error: code ?? "ERROR" }))
  })
