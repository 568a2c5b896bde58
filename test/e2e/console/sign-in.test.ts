// The address that `npm start` prints, opened in a browser: it signs in once, with a key of its own that signing out revokes.
import http from "node:http"
import type { AddressInfo } from "node:net"
import { expect, inject, it } from "vitest"
import { openConsole } from "../../support/browser/console-page.ts"
import { eventually, PerchClient } from "../../support/server/client.ts"

const shared = inject("shared")
const client = new PerchClient(shared)

/** The fragment of a new address. */
const newFragment = async (): Promise<string> => {
  const { url } = await client.json<{ readonly url: string }>("POST", "/v1/admin/sign-in-codes", { status: 201 })
  return new URL(url).hash
}

it("signs in without typing, leaves no code in the address, and stores no root key", async () => {
  const { page } = await openConsole({ apiKey: null, at: await newFragment() })
  await page.getByRole("link", { name: "New session" }).waitFor()
  expect(page.url()).not.toContain("signin")
  const key = String(await page.evaluate('sessionStorage.getItem("perch.key")'))
  expect(key).toMatch(/^perch_root_[0-9a-f]{16}_[0-9a-f]{56}$/)
  await page.reload()
  await page.getByRole("link", { name: "New session" }).waitFor()

  const statusOf = async () => {
    const response = await fetch(`${shared.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } })
    await response.body?.cancel()
    return response.status
  }
  expect(await statusOf()).toBe(200)
  await page.getByRole("button", { name: "Sign out" }).click()
  await page.getByLabel("API key").waitFor()
  await eventually(async () => ((await statusOf()) === 401 ? true : undefined))
})

it("a code that was used shows why, and the field for a key", async () => {
  const fragment = await newFragment()
  const first = await openConsole({ apiKey: null, at: fragment })
  await first.page.getByRole("link", { name: "New session" }).waitFor()
  const second = await openConsole({ apiKey: null, at: fragment })
  await second.page.getByRole("alert").filter({ hasText: "was used already" }).waitFor()
  await second.page.getByLabel("API key").waitFor()
})

it("shows the error of the last attempt, for a text that is not a key and for a code after it", async () => {
  const { page } = await openConsole({ apiKey: null })
  const shown = page.getByRole("alert")
  for (const text of ["Bearer perch_a_b_c", "ключ", " "]) {
    await page.getByLabel("API key").fill(text)
    await page.getByRole("button", { name: "Sign in" }).click()
    await shown.filter({ hasText: "This is no API key" }).waitFor()
  }
  await page.goto(`${shared.url}/#signin=no-such-code`)
  await shown.filter({ hasText: "Or sign in with an API key." }).waitFor()
  await page.getByRole("button", { name: "Sign in" }).click()
  await shown.filter({ hasText: "This is no API key" }).waitFor()
})

it("signs in with an address that is opened in a tab which already shows the page", async () => {
  const { page } = await openConsole({ apiKey: null })
  await page.getByLabel("API key").waitFor()
  await page.goto(`${shared.url}/${await newFragment()}`)
  await page.getByRole("link", { name: "New session" }).waitFor()
  expect(page.url()).not.toContain("signin")
})

it("a key that is revoked while the page is open leads to the sign-in, which shows why, and then back", async () => {
  const makeKey = () =>
    client.json<{ readonly id: string; readonly key: string }>("POST", "/v1/admin/keys", {
      json: { tenant: "signedout" },
      status: 201,
    })
  const made = await makeKey()
  const { page } = await openConsole({ apiKey: made.key, at: "#/costs" })
  const heading = page.getByRole("heading", { name: "Costs", exact: true })
  await heading.waitFor()
  const headers = { authorization: `Bearer ${shared.key}` }
  expect((await fetch(`${shared.url}/v1/admin/keys/${made.id}`, { method: "DELETE", headers })).status).toBe(204)
  // The list of sessions is read again every few seconds.
  await page.getByRole("alert").filter({ hasText: "key" }).waitFor()
  await page.getByLabel("API key").fill((await makeKey()).key)
  await page.getByRole("button", { name: "Sign in" }).click()
  await heading.waitFor()
})

it("a page of another origin receives nothing for a code", async () => {
  const code = (await newFragment()).replace("#signin=", "")
  const other = http.createServer((_, response) => response.setHeader("content-type", "text/html").end("<p>other</p>"))
  other.listen(0, "127.0.0.1")
  await new Promise((resolve) => other.once("listening", resolve))
  const { port } = other.address() as AddressInfo // a TCP server has one
  try {
    const { page } = await openConsole({ apiKey: null, url: `http://127.0.0.1:${port}` })
    const body = JSON.stringify({ code })
    const send = (type: string) =>
      page.evaluate(
        `fetch(${JSON.stringify(`${shared.url}/v1/sign-in`)}, {
          method: "POST", headers: { "content-type": "${type}" }, body: ${JSON.stringify(body)},
        }).then((answer) => answer.status)`,
      )
    for (const type of ["application/json", "text/plain"]) expect(await send(type)).toBe(403)
  } finally {
    other.closeAllConnections()
    other.close()
  }
  // The code is still valid.
  const { page } = await openConsole({ apiKey: null, at: `#signin=${code}` })
  await page.getByRole("link", { name: "New session" }).waitFor()
})
