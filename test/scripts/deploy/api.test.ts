// The client of Cloudflare's API: which requests are retried, and the error when the API is down.
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest"
import { CloudflareApi } from "../../../scripts/deploy/api.mjs"
import { FakeCloudflare } from "../../support/cloudflare/cloudflare.ts"
import { ACCOUNT, TOKEN } from "../../support/cloudflare/state.ts"

const cloudflare = new FakeCloudflare()
const credentials = { type: "api_token" as const, token: TOKEN }
const databases = `/accounts/${ACCOUNT}/d1/database`
beforeAll(() => cloudflare.start())
beforeEach(() => cloudflare.reset())
afterAll(() => cloudflare.stop())

it.each(["before", "after"] as const)("a read that fails %s its effect is retried", async (how) => {
  cloudflare.failure = { call: 0, how }
  expect(await new CloudflareApi(cloudflare.url, credentials, [0]).list(databases)).toEqual([])
  expect(cloudflare.calls).toHaveLength(2)
})

it("a write is sent once, and its failure is an error", async () => {
  cloudflare.failure = { call: 0, how: "after" }
  const api = new CloudflareApi(cloudflare.url, credentials, [0, 0])
  await expect(api.call("POST", databases, { body: { name: "perch" } })).rejects.toThrow(/can't be reached/)
  expect(cloudflare.calls).toHaveLength(1)
  expect(cloudflare.state.databases).toHaveLength(1)
})

it("the error of an unreachable API names its host and not the token", async () => {
  const away = await new FakeCloudflare().start()
  const { url } = away
  await away.stop()
  const api = new CloudflareApi(url, credentials, [])
  await expect(api.list(databases)).rejects.toThrow(
    `Cloudflare's API at ${new URL(url).host} can't be reached (ECONNREFUSED).`,
  )
})

it.each(["localhost:8080", "127.0.0.1:8080", "ftp://api.test"])("the address %s is refused by name", (base) => {
  expect(() => new CloudflareApi(base, credentials)).toThrow(`CLOUDFLARE_API_BASE_URL ${base} is not an http or https`)
})

it("a token that no header can hold is refused, and not printed", () => {
  expect(() => new CloudflareApi(cloudflare.url, { type: "api_token", token: "tok\nen" })).toThrow(
    /^Cloudflare does not accept the API token: it is mistyped, expired or revoked\.$/,
  )
})
