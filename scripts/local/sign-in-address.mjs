// Receives the address of a local server and its root key; returns the console's address with a new one-time code.
// Invariant: the root key is only sent in a header to loopback.
import http from "node:http"
import https from "node:https"
import { text } from "node:stream/consumers"

const ANSWERS_WITHIN_MS = 10_000

const post = (url, key) =>
  new Promise((resolve, reject) => {
    const client = url.startsWith("https") ? https : http
    const headers = { authorization: `Bearer ${key}` }
    // A local server has a self-signed certificate.
    const options = { method: "POST", headers, rejectUnauthorized: false, timeout: ANSWERS_WITHIN_MS, agent: false }
    const request = client.request(`${url}/v1/admin/sign-in-codes`, options, (response) => {
      text(response).then((body) => resolve({ status: response.statusCode, body }), reject)
    })
    request.once("timeout", () => request.destroy(new Error("it did not answer in time")))
    request.once("error", reject)
    request.end()
  })

/** The console's address with its code. Rejects with the server's error. */
export const signInAddress = async (url, key) => {
  const { status, body } = await post(url, key)
  let answer
  try {
    answer = JSON.parse(body)
  } catch {
    throw new Error(`The server at ${url} is not Perch: it answered ${status}.`)
  }
  if (status !== 201) throw new Error(answer.error?.message ?? `The server at ${url} answered ${status}.`)
  return answer.url
}
