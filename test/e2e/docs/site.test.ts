// The docs site as the Worker serves it: addresses with and without a slash, and the policy of each page.
import { expect, inject, it } from "vitest"

const { url } = inject("shared")
const get = (path: string, init: RequestInit = {}) => fetch(`${url}${path}`, { redirect: "manual", ...init })
const policyOf = (answer: Response): string => answer.headers.get("content-security-policy") ?? ""

it("/docs leads to its start page", async () => {
  const answer = await get("/docs")
  expect([answer.status, answer.headers.get("location")]).toEqual([307, "/docs/"])
  const page = await get("/docs/")
  expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"])
  expect(await page.text()).toContain("<title>Perch docs</title>")
})

it("a page may only run its own scripts; the API reference may create markup", async () => {
  const [page, reference] = await Promise.all([get("/docs/streams"), get("/docs/api?tag=query")])
  expect([page.status, reference.status]).toEqual([200, 200])
  expect(policyOf(page)).toContain("script-src 'self'")
  expect(policyOf(page)).toContain("require-trusted-types-for 'script'")
  expect(policyOf(reference)).toContain("script-src 'self'; style-src 'self'")
  expect(policyOf(reference)).not.toContain("trusted-types")
  await Promise.all([page.text(), reference.text()])
})

it("all resources of a page exist", async () => {
  const names = ["docs.js", "docs.css", "minisearch.js", "search-index.json", "swagger-ui-bundle.js", "swagger-ui.css"]
  const answers = await Promise.all(names.map((name) => get(`/docs/assets/${name}`)))
  expect(answers.map(({ status }) => status)).toEqual(names.map(() => 200))
  await Promise.all(answers.map((answer) => answer.arrayBuffer()))
})

it("a browser gets a page of the site for an unknown address, and other clients the error envelope", async () => {
  // The headers of Chromium for a page.
  const headers = { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" }
  const [known, page, head, other, api] = await Promise.all([
    get("/docs/streams", { headers }),
    get("/docs/no/such-page", { headers }),
    get("/docs/no-such-page", { headers, method: "HEAD" }),
    get("/docs/no-such-page"),
    get("/v1/no-such-route", { headers }),
  ])
  expect([known, page, head, other, api].map(({ status }) => status)).toEqual([200, 404, 404, 404, 404])
  const html = await page.text()
  expect(html).toContain("There is no page at this address")
  expect(html).toContain('<a href="#search-field">Search the docs</a>')
  expect(html).toContain('<input id="search-field" type="search"')
  expect([page, head].map((answer) => answer.headers.get("content-type"))).toEqual([
    "text/html; charset=utf-8",
    "text/html; charset=utf-8",
  ])
  expect([policyOf(page), policyOf(head)]).toEqual([policyOf(known), policyOf(known)])
  expect(page.headers.get("vary")?.toLowerCase()).toContain("accept")
  expect(page.headers.get("request-id")).toMatch(/./)
  await known.text()
  for (const answer of [other, api])
    expect(await answer.json()).toMatchObject({ type: "error", error: { type: "not_found_error" } })
})
