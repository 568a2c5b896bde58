// The guarded fetch against a real local server, which is the only one allowed by name: every blocked address is refused,
// requested directly or by a redirect, before anything is sent to it.
import http from "node:http"
import type { AddressInfo } from "node:net"
import { Effect, Result } from "effect"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import {
  FETCH_MARK,
  type FetchOrder,
  fetchSettings,
  guardedFetch,
  isAllowedHost,
  type FetchSettings,
} from "../../src/net/guarded-fetch.ts"
import { NO_HTTP_ADDRESS, PRIVATE } from "./closed-addresses.ts"

const ORDER: FetchOrder = { maxBytes: 10_000, timeoutMs: 5_000 }

interface Seen {
  readonly method: string
  readonly path: string
  readonly headers: http.IncomingHttpHeaders
  readonly body: string
}

let server: http.Server
let origin = ""
const seen: Array<Seen> = []
const called: Array<string> = []

const answer = (request: http.IncomingMessage, response: http.ServerResponse) => {
  const url = new URL(request.url ?? "/", origin)
  const to = url.searchParams.get("to") ?? ""
  const left = Number(url.searchParams.get("hops") ?? 0)
  if (url.pathname === "/redirect") {
    const last = to.replace(/\P{ASCII}/gu, encodeURIComponent)
    const location = left > 0 ? `${origin}/redirect?hops=${left - 1}&to=${encodeURIComponent(to)}` : last
    response.writeHead(Number(url.searchParams.get("status") ?? 302), { location })
    return response.end("gone there")
  }
  if (url.pathname === "/endless") {
    response.writeHead(200, { "content-type": "text/plain" })
    const chunk = "x".repeat(4096)
    const more = (): void => {
      while (!response.destroyed && response.write(chunk));
      if (!response.destroyed) response.once("drain", more)
    }
    return more()
  }
  if (url.pathname === "/silent") return undefined
  response.writeHead(200, { "content-type": "text/plain" })
  return response.end("a page")
}

beforeAll(async () => {
  server = http.createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const { method = "", url: path = "", headers } = request
      seen.push({ method, path, headers, body: Buffer.concat(chunks).toString() })
      answer(request, response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(() => {
  seen.length = 0
  called.length = 0
})
afterAll(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

/** Settings that allow only the test server; fetches are recorded. */
const settings = (more: Partial<FetchSettings> = {}): FetchSettings => ({
  ...fetchSettings(new URL(origin).host, "off"),
  fetch: (url, init) => {
    called.push(url)
    return globalThis.fetch(url, init)
  },
  ...more,
})

const get = (url: string, order: Partial<FetchOrder> = {}, more: Partial<FetchSettings> = {}) =>
  Effect.runPromise(Effect.result(guardedFetch(settings(more))(url, { ...ORDER, ...order })))

const failureOf = async (fetched: ReturnType<typeof get>) => {
  const result = await fetched
  return Result.isFailure(result) ? result.failure : expect.fail(`fetched ${result.success.url}`)
}

const pageOf = async (fetched: ReturnType<typeof get>) => {
  const result = await fetched
  return Result.isSuccess(result) ? result.success : expect.fail(result.failure.message)
}

const redirectTo = (url: string, hops = 0, status = 302) =>
  `${origin}/redirect?status=${status}&hops=${hops}&to=${encodeURIComponent(url)}`

describe("a blocked address", () => {
  it("is in the table in more than sixty spellings", () => expect(PRIVATE.length).toBeGreaterThan(60))

  it.each([...PRIVATE, ...NO_HTTP_ADDRESS])("%j is refused, and nothing is sent", async (url) => {
    expect((await failureOf(get(url))).kind).toBe("refused")
    expect(called).toEqual([])
  })

  it.each(PRIVATE)("%s is refused at the end of a redirect", async (url) => {
    const { kind } = await failureOf(get(redirectTo(url)))
    expect(kind).toBe("refused")
    expect(called).toHaveLength(1)
  })

  it.each(PRIVATE.filter((_, index) => index % 8 === 0))("%s is refused after three redirects", async (url) => {
    expect((await failureOf(get(redirectTo(url, 2)))).kind).toBe("refused")
    expect(called).toHaveLength(3)
  })

  it.each(["file:///etc/passwd", "ftp://example.org/", "data:text/html,x", "http://user:secret@example.org/"])(
    "%s is refused at the end of a redirect",
    async (url) => {
      expect((await failureOf(get(redirectTo(url)))).kind).toBe("refused")
      expect(called).toHaveLength(1)
    },
  )

  it("is refused on another port of a host that is allowed with its port", async () => {
    expect((await failureOf(get("http://127.0.0.1:1/"))).kind).toBe("refused")
    expect(called).toEqual([])
  })

  it("repeats its user name and password in no message", async () => {
    const { message } = await failureOf(get("http://user:secret@example.org/"))
    expect(message).not.toMatch(/secret|user:/)
  })
})

describe("a fetch", () => {
  it("returns a page of an allowed host", async () => {
    const page = await pageOf(get(`${origin}/page`))
    expect({ ...page, bytes: Buffer.from(page.bytes).toString() }).toMatchObject({
      url: `${origin}/page`,
      status: 200,
      bytes: "a page",
      cut: false,
    })
    expect(seen[0]?.headers[FETCH_MARK]).toBe("1")
  })

  it("follows five redirects and not six", async () => {
    expect((await pageOf(get(redirectTo(`${origin}/page`, 4)))).url).toBe(`${origin}/page`)
    expect((await failureOf(get(redirectTo(`${origin}/page`, 5)))).kind).toBe("too_many_redirects")
  })

  it("follows a relative redirect", async () => {
    expect((await pageOf(get(redirectTo("/page")))).url).toBe(`${origin}/page`)
  })

  it("reports the target of a redirect that its caller does not follow", async () => {
    const page = await pageOf(get(redirectTo("https://elsewhere.example.org/x"), { follows: () => false }))
    expect(page).toMatchObject({ status: 302, redirect: "https://elsewhere.example.org/x" })
    expect(called).toHaveLength(1)
  })

  it("stops reading an endless answer", async () => {
    const page = await pageOf(get(`${origin}/endless`))
    expect(page.bytes.length).toBe(10_000)
    expect(page.cut).toBe(true)
  })

  it("ends at its time limit when no answer arrives", async () => {
    expect((await failureOf(get(`${origin}/silent`, { timeoutMs: 50 }))).kind).toBe("timeout")
  })

  it("sends a body once, and a GET after a 303", async () => {
    const order = {
      method: "POST",
      body: "hello",
      headers: { "Content-Type": "text/plain", Authorization: "Bearer x" },
    }
    await pageOf(get(redirectTo("/page", 0, 303), order))
    expect(seen.map(({ method, body }) => [method, body])).toEqual([
      ["POST", "hello"],
      ["GET", ""],
    ])
    expect(seen[1]?.headers.authorization).toBe("Bearer x")
    expect(seen[1]?.headers["content-type"]).toBeUndefined()
  })

  it("keeps method and body at a 307", async () => {
    await pageOf(get(redirectTo("/page", 0, 307), { method: "PUT", body: "hello" }))
    expect(seen.map(({ method, body }) => [method, body])).toEqual([
      ["PUT", "hello"],
      ["PUT", "hello"],
    ])
  })

  it("sends secrets to no other server", async () => {
    const { port } = server.address() as AddressInfo
    const allow = new Set([`127.0.0.1:${port}`, `localhost:${port}`])
    const headers = { authorization: "Bearer x", cookie: "a=1", "x-api-key": "k", accept: "text/html" }
    await pageOf(get(redirectTo(`http://localhost:${port}/page`), { headers }, { allow }))
    expect(seen[0]?.headers.authorization).toBe("Bearer x")
    expect(seen[1]?.headers).toMatchObject({ accept: "text/html" })
    for (const name of ["authorization", "cookie", "x-api-key"]) expect(seen[1]?.headers[name]).toBeUndefined()
  })
})

describe("a name", () => {
  const RESOLVER = "https://resolver.example.org/dns-query"
  const a = (...data: ReadonlyArray<string>) => data.map((one) => ({ name: "x", type: 1, TTL: 60, data: one }))
  const aaaa = (...data: ReadonlyArray<string>) => data.map((one) => ({ name: "x", type: 28, TTL: 60, data: one }))

  /** Fetches a public name; the resolver returns `answers`, the name's own server "hello". */
  const fetchName = (answers: (type: string) => unknown) =>
    get(
      "https://www.example.org/",
      {},
      {
        resolver: RESOLVER,
        fetch: async (url) => {
          called.push(url)
          if (!url.startsWith(RESOLVER)) return new Response("hello")
          const answer = answers(new URL(url).searchParams.get("type") ?? "")
          return answer instanceof Response ? answer : Response.json(answer)
        },
      },
    )

  it("is fetched when all its addresses are public", async () => {
    const page = await pageOf(
      fetchName((type) => ({ Status: 0, Answer: type === "1" ? a("93.184.216.34") : aaaa("2606:2800:220:1::1") })),
    )
    expect(page.status).toBe(200)
    expect(called).toHaveLength(3)
  })

  it.each([
    ["a private address", (type: string) => ({ Status: 0, Answer: type === "1" ? a("10.0.0.7") : [] })],
    ["one private address among others", () => ({ Status: 0, Answer: a("93.184.216.34", "169.254.169.254") })],
    [
      "a private IPv6 address",
      (type: string) => ({ Status: 0, Answer: type === "28" ? aaaa("fd00::1") : a("8.8.8.8") }),
    ],
    ["a mapped address", (type: string) => ({ Status: 0, Answer: type === "28" ? aaaa("::ffff:127.0.0.1") : [] })],
  ])("that resolves to %s is refused", async (_, answers) => {
    expect((await failureOf(fetchName(answers))).kind).toBe("refused")
    expect(called.every((url) => url.startsWith(RESOLVER))).toBe(true)
  })

  it.each([
    ["does not know it", () => ({ Status: 3 })],
    ["has no address for it", () => ({ Status: 0 })],
    ["answers with something else", () => ({ hello: "world" })],
    ["answers with no JSON", () => new Response("<html>")],
    ["is out of order", () => new Response("no", { status: 502 })],
    ["answers half", (type: string) => (type === "1" ? { Status: 0, Answer: a("8.8.8.8") } : { Status: 2 })],
  ])("is not fetched when the resolver %s", async (_, answers) => {
    expect((await failureOf(fetchName(answers))).kind).toBe("failed")
    expect(called.every((url) => url.startsWith(RESOLVER))).toBe(true)
  })

  it("is not resolved if it is allowed, or an address", async () => {
    const fetch = async () => new Response("hello")
    const { port } = server.address() as AddressInfo
    await pageOf(get(`http://127.0.0.1:${port}/`, {}, { resolver: RESOLVER, fetch }))
    await pageOf(get("http://93.184.216.34/", {}, { resolver: RESOLVER, fetch }))
  })
})

describe("the settings", () => {
  it("name hosts with or without a port, and a resolver or none", () => {
    const { allow, resolver } = fetchSettings(" Wiki.Corp , 127.0.0.1:8080,,", undefined)
    expect([...allow]).toEqual(["wiki.corp", "127.0.0.1:8080"])
    expect(resolver).toMatch(/^https:/)
    expect(fetchSettings(undefined, " off ").resolver).toBeNull()
    expect([...fetchSettings(undefined, undefined).allow]).toEqual([])
  })

  it("allow what they name in any spelling, and nothing for an invalid host", () => {
    const { allow } = fetchSettings("http://a.corp, b.corp/x, WIKI.corp:80, 0x7f.1, [::1]:8080, user@c.corp, *", "off")
    expect([...allow]).toEqual(["wiki.corp:80", "127.0.0.1", "[::1]:8080", "*"])
    const isAllowed = (url: string) => isAllowedHost(new URL(url), { allow })
    expect(["http://wiki.corp/", "http://127.1:99/", "http://[::1]:8080/"].map(isAllowed)).toEqual([true, true, true])
    expect(["https://wiki.corp/", "http://[::1]/", "http://a.corp/"].map(isAllowed)).toEqual([false, false, false])
  })

  it.each(["http://dns.corp/query", "dns.corp", "yes"])(
    "with %s as the resolver allow no name to be fetched",
    async (one) => {
      const page = get("https://example.com/", {}, { resolver: fetchSettings("", one).resolver })
      expect(await failureOf(page)).toMatchObject({ kind: "failed", message: expect.stringContaining("RESOLVER") })
      expect(called).toEqual([])
    },
  )
})

describe("a fetch that requires https", () => {
  const called: Array<string> = []
  const fetch = async (url: string) => {
    called.push(url)
    return new Response("hello")
  }

  it("uses https for http addresses, except for a host that is allowed by name", async () => {
    await pageOf(get("http://93.184.216.34/a?b", { secure: true }, { fetch }))
    await pageOf(get(`${origin}/page`, { secure: true }, { fetch }))
    expect(called).toEqual(["https://93.184.216.34/a?b", `${origin}/page`])
  })
})
