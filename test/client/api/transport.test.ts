// Requests of the client: which are retried, which error each answer becomes, and streams that span several connections.
import { afterEach, describe, expect, it, vi } from "vitest"
import * as Api from "../../../src/client/api/entry.ts"
import { ERROR_STATUS } from "../../../src/schemas/errors/rpc-error.ts"

type Handler = (request: Request, attempt: number) => Response | Promise<Response>

const clientOf = (handler: Handler, more: Partial<Api.TransportOptions> = {}) => {
  const requests: Array<Request> = []
  const fake: typeof fetch = async (input, init) => {
    const request = new Request(input as string, init)
    requests.push(request)
    return handler(request, requests.length)
  }
  return { requests, client: Api.perchClient({ url: "https://perch.test/base/", apiKey: "key", fetch: fake, ...more }) }
}

const refusal = (status: number, type: string, headers: Record<string, string> = {}) =>
  Response.json(
    { type: "error", error: { type, message: "no", field: "f", issues: [] }, request_id: "req_1" },
    { status, headers },
  )

afterEach(() => void vi.useRealTimers())

describe("an error", () => {
  it.each(Object.entries(ERROR_STATUS))(
    "%s has its own class and knows whether it can be retried",
    async (type, status) => {
      const { client } = clientOf(() => refusal(status, type), { maxRetries: 0 })
      const error = await client
        .session("s")
        .get()
        .then(
          () => null,
          (reason: unknown) => reason,
        )
      expect(error).toBeInstanceOf(Api.PerchError)
      expect(error).toMatchObject({ type, status, message: "no", request_id: "req_1", field: "f" })
      expect((error as Api.PerchError).retryable).toBe([408, 429, 500, 503, 529].includes(status))
    },
  )

  it("is a subclass with its own name", async () => {
    for (const [status, type, Class] of [
      [401, "authentication_error", Api.AuthenticationError],
      [404, "not_found_error", Api.NotFoundError],
      [409, "conflict_error", Api.ConflictError],
      [413, "request_too_large", Api.RequestTooLargeError],
      [429, "rate_limit_error", Api.RateLimitError],
    ] as const) {
      const { client } = clientOf(() => refusal(status, type), { maxRetries: 0 })
      await expect(client.session("s").get()).rejects.toBeInstanceOf(Class)
    }
    const html = clientOf(() => new Response("<html>", { status: 502 }), { maxRetries: 0 })
    await expect(html.client.session("s").get()).rejects.toMatchObject({
      type: "api_error",
      status: 502,
      retryable: true,
    })
    const gone = clientOf(() => Promise.reject(new TypeError("fetch failed")), { maxRetries: 0 })
    await expect(gone.client.session("s").get()).rejects.toBeInstanceOf(Api.ConnectionError)
  })

  it("for an invalid address or key is thrown at once", () => {
    expect(() => Api.perchClient({ url: "perch.test", apiKey: "key" })).toThrow(TypeError)
    expect(() => Api.perchClient({ url: "https://perch.test", apiKey: "a\nb" })).toThrow(TypeError)
    for (const url of ["https://me:pw@perch.test", "https://me@perch.test", "https://perch.test?a=1", "https://a.b/#a"])
      expect(() => Api.perchClient({ url, apiKey: "key" })).toThrow("without a user name, a password, a query")
  })

  it.each([
    [{ timeoutMs: 0 }, "timeoutMs must be a number from 1. Got 0."],
    [{ timeoutMs: Number.NaN }, "timeoutMs must be a number from 1. Got NaN."],
    [{ fetch: "node-fetch" as unknown as typeof fetch }, "fetch must be a function."],
    [{ maxRetries: -1 }, "maxRetries must be a number from 0. Got -1."],
    [{ maxRetries: "2" as unknown as number }, 'maxRetries must be a number from 0. Got "2".'],
  ])("for the options %j names the option", (options, message) => {
    expect(() => clientOf(() => Response.json({}), options)).toThrow(new TypeError(message))
  })
})

describe("a path", () => {
  const { client, requests } = clientOf(() => Response.json({}))
  const { files } = client.session("s")

  it.each(["/../../other", "/a/../../../other/files/x", "/a/./b", "/..", "/.", "a", ""])(
    "of a file that escapes its route is refused: %s",
    async (path) => {
      const message = "The path must be absolute, without . and .. in it."
      await expect((async () => files.readText(path))()).rejects.toThrow(message)
      await expect((async () => files.write(path, "x"))()).rejects.toThrow(message)
      await expect(files.remove(path)).rejects.toThrow(message)
      expect(requests).toHaveLength(0)
    },
  )

  it.each(["", ".", "..", "\ud800", undefined as unknown as string])(
    "of an id that reaches another route is refused: %j",
    async (id) => {
      expect(() => client.session(id)).toThrow(TypeError)
      for (const call of [
        () => client.session("s").turn(id),
        () => client.session("s").answer(id, { behavior: "allow" }),
        () => client.session("s").revokePermission(id),
      ])
        await expect((async () => call())()).rejects.toThrow(TypeError)
      expect(requests).toHaveLength(0)
    },
  )

  it.each(["v1/models", ".perch.example/v1/models", "@perch.example/", ""])(
    "of a request that would reach another host is refused: %j",
    async (path) => {
      const message = `The path must start with a slash. Got ${JSON.stringify(path)}.`
      await expect(client.request("GET", path)).rejects.toThrow(new TypeError(message))
      expect(requests).toHaveLength(0)
    },
  )

  it("with dots and other characters in its names is sent unchanged", async () => {
    const open = clientOf(() => Response.json({}))
    await open.client.session("s").files.write("/.a/..b/c..d/ü %2e?#", "x")
    expect(open.requests[0]?.url).toBe("https://perch.test/base/v1/sessions/s/files/.a/..b/c..d/%C3%BC%20%252e%3F%23")
  })
})

describe("a request", () => {
  it("that creates something is retried with the same Idempotency-Key", async () => {
    const { client, requests } = clientOf((_, attempt) =>
      attempt === 1
        ? Promise.reject(new TypeError("reset"))
        : attempt === 2
          ? refusal(500, "api_error")
          : Response.json({ id: "s1" }),
    )
    expect((await client.createSession()).id).toBe("s1")
    expect(requests.map(({ url }) => url)).toEqual(Array(3).fill("https://perch.test/base/v1/sessions"))
    expect(new Set(requests.map(({ headers }) => headers.get("idempotency-key"))).size).toBe(1)
    expect(requests[0]?.headers.get("authorization")).toBe("Bearer key")
  })

  it("with a header that can't be sent is rejected, and never retried", async () => {
    const { client, requests } = clientOf(() => Response.json({}))
    await expect(client.query("x", { idempotencyKey: "€" })).rejects.toThrow(TypeError)
    expect(requests).toHaveLength(0)
  })

  it("that no fetch can send is rejected, and never retried", async () => {
    const { client, requests } = clientOf(() => Response.json({}))
    await expect(client.request("GET", "/v1/models", { json: {} })).rejects.toThrow(
      new TypeError("A GET request has no body. Send its parameters as query."),
    )
    await expect(client.request("BAD NAME", "/v1/models")).rejects.toThrow(TypeError)
    expect(requests).toHaveLength(0)
    await client.request("patch", "/v1/sessions/s", { json: {} })
    expect(requests.map(({ method }) => method)).toEqual(["PATCH"])
  })

  it("with no time limit waits for its response", async () => {
    const { client } = clientOf(
      (request) => (request.signal.aborted ? Response.error() : Response.json({ data: [] })),
      {
        timeoutMs: Number.POSITIVE_INFINITY,
      },
    )
    const timers = vi.spyOn(globalThis, "setTimeout")
    await client.listSessions()
    const delays = timers.mock.calls.map(([, ms]) => ms)
    timers.mockRestore()
    expect(new Set(delays)).toEqual(new Set([2 ** 31 - 1]))
  })

  /** A server that does what it is asked, and whose first response is lost. */
  const losesResponse = (second: Response) =>
    clientOf((_, attempt) => (attempt === 1 ? Promise.reject(new TypeError("reset")) : second))

  it("that removes something has succeeded if it is gone when it is sent again", async () => {
    for (const remove of [
      (session: Api.SessionClient) => session.delete(),
      (session: Api.SessionClient) => session.files.remove("/a"),
      (session: Api.SessionClient) => session.revokePermission("sav_1"),
    ]) {
      const lost = losesResponse(refusal(404, "not_found_error"))
      await remove(lost.client.session("s"))
      expect(lost.requests).toHaveLength(2)
      const missing = clientOf(() => refusal(404, "not_found_error"))
      await expect(remove(missing.client.session("s"))).rejects.toBeInstanceOf(Api.NotFoundError)
      const refused = clientOf((_, attempt) =>
        attempt === 1 ? refusal(429, "rate_limit_error", { "retry-after": "0" }) : refusal(404, "not_found_error"),
      )
      await expect(remove(refused.client.session("s"))).rejects.toBeInstanceOf(Api.NotFoundError)
    }
  })

  it("with a condition is not sent again after its response is lost: it would fail on its own change", async () => {
    for (const change of [
      (session: Api.SessionClient) => session.files.write("/a", "x", { ifNoneMatch: "*" }),
      (session: Api.SessionClient) => session.files.write("/a", "x", { ifMatch: '"1"' }),
      (session: Api.SessionClient) => session.files.remove("/a", { ifMatch: '"1"' }),
    ]) {
      const lost = losesResponse(refusal(412, "precondition_failed_error"))
      await expect(change(lost.client.session("s"))).rejects.toBeInstanceOf(Api.ConnectionError)
      expect(lost.requests).toHaveLength(1)
    }
  })

  it("that is not idempotent is retried only if nothing was done", async () => {
    const broken = clientOf(() => Promise.reject(new TypeError("reset")))
    await expect(broken.client.session("s").interrupt()).rejects.toBeInstanceOf(Api.ConnectionError)
    expect(broken.requests).toHaveLength(1)
    const busy = clientOf((_, attempt) =>
      attempt === 1 ? refusal(429, "rate_limit_error") : Response.json({ interrupted: true }),
    )
    await expect(busy.client.session("s").interrupt()).resolves.toMatchObject({ interrupted: true })
  })

  it("is not retried when the answer can't change", async () => {
    const { client, requests } = clientOf(() => refusal(400, "invalid_request_error"))
    await expect(client.session("s").get()).rejects.toBeInstanceOf(Api.InvalidRequestError)
    expect(requests).toHaveLength(1)
  })

  it("waits as long as Retry-After asks, and fails at once when that is too long", async () => {
    vi.useFakeTimers()
    const { client, requests } = clientOf((_, attempt) =>
      attempt === 1 ? refusal(429, "rate_limit_error", { "retry-after": "7" }) : Response.json({}),
    )
    const done = client.session("s").get()
    await vi.advanceTimersByTimeAsync(6999)
    expect(requests).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(1)
    await done
    expect(requests).toHaveLength(2)
    const long = clientOf(() => refusal(429, "rate_limit_error", { "retry-after": "3600" }))
    await expect(long.client.session("s").get()).rejects.toMatchObject({ retry_after: 3600 })
    expect(long.requests).toHaveLength(1)
  })

  it("is aborted by its signal, also while it waits", async () => {
    const stop = new AbortController()
    const { client } = clientOf(() => refusal(429, "rate_limit_error", { "retry-after": "30" }))
    const done = client.session("s").get({ signal: stop.signal })
    setTimeout(() => stop.abort(new Error("enough")), 5)
    await expect(done).rejects.toThrow("enough")
  })
})

/** A connection that sends these frames, and then closes, breaks, or stays open. */
const stream = (frames: string, end: "close" | "break" | "open" = "close") =>
  new Response(
    new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode(frames)),
      pull: (controller) =>
        end === "close" ? controller.close() : end === "break" ? controller.error(new Error("reset")) : undefined,
    }),
  )

describe("a stream of events", () => {
  it("resumes after the last id when connections break, without duplicates", async () => {
    const { client, requests } = clientOf((_, attempt) =>
      attempt === 1
        ? stream('retry: 1\nid: 1\ndata: {"n":1}\n\nid: 2\ndata: {"n":2}\n\n', "break")
        : attempt === 2
          ? stream('id: 2\ndata: {"n":2}\n\nid: 3\ndata: {"n":3}\n\ndata: {"live":true}\n\n')
          : stream('event: catch_up_truncated\ndata: {}\n\nid: 9\ndata: {"n":9}\n\n', "open"),
    )
    const seen: Array<unknown> = []
    for await (const { id, event, message } of client.session("s").events()) {
      seen.push([id, event, message])
      if (id === 9) break
    }
    expect(seen).toEqual([
      [1, "message", { n: 1 }],
      [2, "message", { n: 2 }],
      [3, "message", { n: 3 }],
      [undefined, "message", { live: true }],
      [undefined, "catch_up_truncated", {}],
      [9, "message", { n: 9 }],
    ])
    expect(requests.map(({ url }) => new URL(url).searchParams.get("after"))).toEqual(["0", "2", "3"])
  })

  it("from the head misses nothing when its connection breaks before the first event", async () => {
    const { client, requests } = clientOf((request, attempt) =>
      attempt === 1
        ? Response.json({ events: [], has_more: false, last_seq: 7 })
        : attempt === 2
          ? stream(": connected\n\nretry: 1\n\n", "break")
          : stream(new URL(request.url).searchParams.get("after") === "7" ? 'id: 8\ndata: {"n":8}\n\n' : "", "open"),
    )
    const events = client.session("s").events({ after: "head" })
    expect((await events.next()).value).toEqual({ id: 8, event: "message", message: { n: 8 } })
    await events.return()
    expect(requests.map(({ url }) => new URL(url).searchParams.get("after"))).toEqual([null, "7", "7"])
  })

  it("from a position that the log does not have continues from the log's last one", async () => {
    const { client, requests } = clientOf((_, attempt) =>
      attempt === 1
        ? stream('retry: 1\nevent: catch_up_truncated\ndata: {"last_seq":7}\n\nid: 8\ndata: {"n":8}\n\n')
        : stream('id: 9\ndata: {"n":9}\n\n', "open"),
    )
    const seen: Array<unknown> = []
    for await (const { id, event } of client.session("s").events({ after: 500 })) {
      seen.push([id, event])
      if (id === 9) break
    }
    expect(seen).toEqual([
      [undefined, "catch_up_truncated"],
      [8, "message"],
      [9, "message"],
    ])
    expect(requests.map(({ url }) => new URL(url).searchParams.get("after"))).toEqual(["500", "8"])
  })

  it("of a turn is requested again with the same key, and ends with the result", async () => {
    const { client, requests } = clientOf((_, attempt) =>
      attempt === 1
        ? stream('id: 5\ndata: {"type":"system"}\n\n', "break")
        : stream(
            'id: 5\ndata: {"type":"system"}\n\nid: 6\ndata: {"type":"result"}\n\nid: 7\ndata: {"type":"user"}\n\n',
            "open",
          ),
    )
    const types: Array<string> = []
    for await (const { type } of client.session("s").stream("go")) types.push(type)
    expect(types).toEqual(["system", "result"])
    expect(requests.map(({ headers }) => headers.get("last-event-id"))).toEqual([null, "5"])
    expect(new Set(requests.map(({ headers }) => headers.get("idempotency-key"))).size).toBe(1)
  })

  it("ends with an error that a retry can't change", async () => {
    const { client } = clientOf((_, attempt) =>
      attempt === 1 ? stream("retry: 1\n\n") : refusal(404, "not_found_error"),
    )
    await expect(client.session("s").events().next()).rejects.toBeInstanceOf(Api.NotFoundError)
  })

  it("is aborted by its signal", async () => {
    const stop = new AbortController()
    const { client } = clientOf(() => stream(": hi\n\n", "open"))
    const next = client.session("s").events({ signal: stop.signal }).next()
    setTimeout(() => stop.abort(new Error("enough")), 5)
    await expect(next).rejects.toThrow("enough")
  })
})
