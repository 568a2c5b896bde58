// The headers with which a browser receives pages and all other answers.
import fs from "node:fs"
import path from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import { buildSite } from "../../scripts/site/build.mjs"
import { makeApi, ROOT_KEY } from "./api.ts"

const PUBLIC = path.resolve(import.meta.dirname, "../../public")
const ASSETS = {
  fetch: async (request: Request) =>
    ["/", "/docs/api", "/docs/apis"].includes(new URL(request.url).pathname)
      ? new Response("<p>Perch</p>", { headers: { "content-type": "text/html", etag: '"1"' } })
      : new Response("missing", { status: 404 }),
} as unknown as Fetcher // the only method that the Worker calls

const api = makeApi({ PERCH_ROOT_KEY: ROOT_KEY, ASSETS })

beforeAll(async () => void (await buildSite()))

describe("a page of public/", () => {
  it("is served with its own headers and a policy that forbids inline code and frames", async () => {
    const page = await api.call("GET", "/", { key: null })
    expect([page.status, await page.text(), page.headers.get("etag")]).toEqual([200, "<p>Perch</p>", '"1"'])
    const policy = page.headers.get("content-security-policy")
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toContain("unsafe")
    expect(page.headers.get("x-content-type-options")).toBe("nosniff")
    expect(page.headers.get("referrer-policy")).toBe("no-referrer")
    expect(page.headers.get("x-frame-options")).toBe("DENY")
  })

  it("creates no markup from text, except the API reference's renderer", async () => {
    const policyOf = async (at: string) =>
      (await api.call("GET", at, { key: null })).headers.get("content-security-policy") ?? ""
    const common = await policyOf("/docs/apis")
    expect(common).toContain("; require-trusted-types-for 'script'; trusted-types 'none'")
    expect(await policyOf("/docs/api")).toBe(common.replace(/; require-trusted-types-for .*/, ""))
  })

  it("has no inline script, style or handler", () => {
    const pages = fs.readdirSync(PUBLIC, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".html"))
    expect(pages.length).toBeGreaterThan(0)
    for (const name of pages) {
      const html = fs.readFileSync(path.join(PUBLIC, name), "utf8")
      expect(html).not.toMatch(/<style|\sstyle=|<script(?![^>]*\ssrc=)|\son\w+=|javascript:/i)
    }
  })

  it("is not looked up when the request is not a GET or names the API", async () => {
    expect((await api.call("POST", "/", { key: null })).status).toBe(404)
    expect((await api.refused(404, "GET", "/v1/nothing")).error.message).toContain("There is no GET /v1/nothing")
  })
})

describe("any other answer", () => {
  const paths = ["/missing.js", "/docs", "/healthz", "/openapi.json", "/v1/models", "/v1/nothing"]
  it.each(paths)("%s may load nothing and can't be framed", async (at) => {
    const { headers } = await api.call("GET", at)
    expect(headers.get("content-security-policy")).toBe("default-src 'none'; frame-ancestors 'none'")
    expect(headers.get("x-content-type-options")).toBe("nosniff")
    expect(headers.get("referrer-policy")).toBe("no-referrer")
  })
})
