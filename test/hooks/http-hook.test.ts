import { createHmac } from "node:crypto"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect, Fiber, Result } from "effect"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { callHttpHook } from "../../src/hooks/http-hook.ts"
import { DECIDING_EVENTS, httpHooks } from "../../src/hooks/registry.ts"
import { type HookCall, HookFailure, runHooks } from "../../src/hooks/runner.ts"
import { fetchSettings, type FetchSettings, guardedFetch } from "../../src/net/guarded-fetch.ts"
import { HOOK_EVENTS } from "../../src/schemas/sdk/hooks/hooks.ts"
import { entryOf } from "./answers.ts"

interface Seen {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly headers: IncomingMessage["headers"]
  readonly body: string
}

let server: Server
let origin: string
let seen: Array<Seen> = []
/** How the server answers a request, once its body has arrived. */
let answer: (response: ServerResponse) => void

beforeAll(async () => {
  server = createServer((request, response) => {
    let body = ""
    request.setEncoding("utf8")
    request.on("data", (chunk: string) => (body += chunk))
    request.on("end", () => {
      seen.push({ method: request.method, url: request.url, headers: request.headers, body })
      answer(response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
beforeEach(() => {
  seen = []
})
afterAll(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

const WEBHOOK_SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
const NOW = 1_700_000_000_123

const callerOf = (settings: Partial<FetchSettings>) => {
  const caller = callHttpHook({
    fetch: guardedFetch({ ...fetchSettings(undefined, "off"), ...settings }),
    secrets: Effect.succeed([WEBHOOK_SECRET]),
    now: () => NOW,
  })
  return (hook: HookCall) => caller(hook, "msg_1")
}
const local = callerOf({ allowPrivate: true })
const INPUT = { hook_event_name: "PreToolUse", tool_name: "Write", tool_input: { content: "grüß ✓" } }
const SECRET = "s3cret"

const httpEntry = (url: string, headers: Record<string, string> = { authorization: `Bearer ${SECRET}` }) =>
  entryOf(0, { kind: "http", url, headers })

const ask = (url = `${origin}/hook/${SECRET}?token=${SECRET}`, headers?: Record<string, string>, call = local) =>
  Effect.runPromise(
    Effect.result(call({ entry: httpEntry(url, headers), event: "PreToolUse", input: INPUT, toolUseId: "toolu_1" })),
  )

const failureOf = (result: Result.Result<unknown, HookFailure>): HookFailure => {
  if (Result.isSuccess(result)) throw new Error("the hook answered")
  expect(result.failure.message).not.toContain(SECRET)
  return result.failure
}

const says = (status: number, body: string | Uint8Array = "", headers: Record<string, string> = {}) => {
  answer = (response) => void response.writeHead(status, headers).end(body)
}

describe("an HTTP hook", () => {
  it("is sent the input as JSON, with its own headers", async () => {
    says(200, "{}")
    await ask(`${origin}/hook?token=1`, {
      Authorization: "Bearer a",
      "X-Team": "b",
      "Content-Length": "3",
      Host: "evil",
    })
    expect(seen).toHaveLength(1)
    expect(seen[0]).toMatchObject({ method: "POST", url: "/hook?token=1" })
    expect(JSON.parse(seen[0]!.body)).toEqual(INPUT)
    expect(seen[0]!.headers).toMatchObject({
      authorization: "Bearer a",
      "x-team": "b",
      "content-type": "application/json",
      accept: "application/json",
      host: origin.slice("http://".length),
    })
  })

  it("is signed according to Standard Webhooks", async () => {
    says(200)
    await ask()
    const { headers, body } = seen[0]!
    expect(headers).toMatchObject({ "webhook-id": "msg_1", "webhook-timestamp": "1700000000" })
    const key = Buffer.from(WEBHOOK_SECRET.slice("whsec_".length), "base64")
    const signature = createHmac("sha256", key).update(`msg_1.1700000000.${body}`).digest("base64")
    expect(headers["webhook-signature"]).toBe(`v1,${signature}`)
  })

  it("sends its id as an Idempotency-Key too, unless its own headers have one", async () => {
    says(200)
    await ask()
    await ask(undefined, { "Idempotency-Key": "mine" })
    expect(seen.map(({ headers }) => headers["idempotency-key"])).toEqual(["msg_1", "mine"])
  })

  it("is not called if it can't be signed", async () => {
    const unsigned = callHttpHook({
      fetch: guardedFetch({ ...fetchSettings(undefined, "off"), allowPrivate: true }),
      secrets: Effect.fail(new HookFailure({ kind: "threw", message: "no secret" })),
      now: () => NOW,
    })
    expect(failureOf(await ask(undefined, undefined, (hook) => unsigned(hook, "msg_1"))).message).toBe("no secret")
    expect(seen).toEqual([])
  })

  it("answers with JSON", async () => {
    says(200, JSON.stringify({ decision: "block", reason: "nein ✗" }))
    expect(await ask()).toEqual(Result.succeed({ decision: "block", reason: "nein ✗" }))
  })

  it.each([200, 201, 202, 204])("decides nothing when it answers %s without a body", async (status) => {
    says(status)
    expect(await ask()).toEqual(Result.succeed(undefined))
  })

  it.each([400, 401, 404, 429, 500, 503])("fails when it answers %s", async (status) => {
    says(status, JSON.stringify({ decision: "approve" }))
    expect(failureOf(await ask())).toMatchObject({
      kind: "threw",
      message: `The hook at ${origin} answered with status ${status}.`,
    })
  })

  it.each([301, 302, 303, 307, 308])("is not followed when it redirects with %s", async (status) => {
    says(status, "", { location: `${origin}/elsewhere` })
    expect(failureOf(await ask())).toMatchObject({
      kind: "threw",
      message: `The hook at ${origin} answered with a redirect, which is not followed.`,
    })
    expect(seen).toHaveLength(1)
  })

  it.each(["<html>", "null", "true", "[]", '"x"', "{", "{}{}"])(
    "fails when it answers %s, which is not an object",
    async (body) => {
      says(200, body)
      expect(failureOf(await ask()).kind).toBe("invalid")
      says(200, new Uint8Array([0x22, 0xff, 0x22]))
      expect(failureOf(await ask()).kind).toBe("invalid")
    },
  )

  it("is read up to one MiB", async () => {
    const fitting = JSON.stringify({ x: "x".repeat(1024 * 1024 - 8) })
    says(200, fitting)
    expect(Result.isSuccess(await ask())).toBe(true)
    says(200, `${fitting} `)
    expect(failureOf(await ask())).toMatchObject({ kind: "invalid" })
  })

  it("is aborted when it does not stop answering", async () => {
    const closed = new Promise<void>((resolve) => {
      answer = (response) => {
        const more = () => {
          while (response.write("x".repeat(64 * 1024)));
        }
        response.on("drain", more).on("close", resolve)
        more()
      }
    })
    expect(failureOf(await ask()).kind).toBe("invalid")
    await closed
  })

  it("fails when its answer is interrupted", async () => {
    answer = (response) => {
      response.writeHead(200, { "content-length": "100" })
      response.write("{", () => response.destroy())
    }
    expect(failureOf(await ask()).kind).toBe("threw")
  })

  it("fails when no server listens", async () => {
    const free = createServer()
    await new Promise<void>((resolve) => free.listen(0, "127.0.0.1", resolve))
    const { port } = free.address() as AddressInfo
    await new Promise((resolve) => free.close(resolve))
    expect(failureOf(await ask(`http://127.0.0.1:${port}/${SECRET}?token=${SECRET}`))).toMatchObject({
      kind: "threw",
      message: `The hook at http://127.0.0.1:${port} could not be reached.`,
    })
  })

  it("fails without repeating an invalid header", async () => {
    expect(failureOf(await ask(origin, { "x-key": `${SECRET}\n` + "x: y" })).kind).toBe("threw")
    expect(failureOf(await ask(origin, { [`bad ${SECRET}`]: "x" })).kind).toBe("threw")
    expect(seen).toEqual([])
  })

  it("ends its request when it is interrupted", async () => {
    const closed = Promise.withResolvers<void>()
    const came = Promise.withResolvers<void>()
    answer = (response) => {
      response.on("close", () => closed.resolve())
      response.writeHead(200)
      response.write("{")
      came.resolve()
    }
    const fiber = Effect.runFork(local({ entry: httpEntry(origin), event: "Stop", input: {} }))
    await came.promise
    await Effect.runPromise(Fiber.interrupt(fiber))
    await closed.promise
  })

  it("is called only at public addresses", async () => {
    for (const url of [
      origin,
      "http://169.254.169.254/",
      "http://localhost:1/",
      "file:///etc/passwd",
      "http://a:b@c.com",
    ]) {
      const called: Array<string> = []
      const recorder = (to: string) => {
        called.push(to)
        return Promise.reject(new Error(to))
      }
      expect(failureOf(await ask(url, {}, callerOf({ fetch: recorder })))).toMatchObject({
        kind: "threw",
        message: expect.stringMatching(/^The hook at .* has a URL that must not be called\.$/),
      })
      expect(called).toEqual([])
    }
  })

  it("is called at the address that was checked", async () => {
    const called: Array<string> = []
    const recorder = (to: string) => {
      called.push(to)
      return Promise.resolve(new Response(null, { status: 204 }))
    }
    await ask("https:\\\\HOOKS.acme.com\\a b", {}, callerOf({ fetch: recorder }))
    expect(called).toEqual(["https://hooks.acme.com/a%20b"])
  })
})

describe("HTTP hooks of a session", () => {
  const url = () => `${origin}/hook`
  const runWith = (group: object, hook: object = {}) => {
    const registry = httpHooks({ PreToolUse: [{ hooks: [{ type: "http", url: url(), ...hook }], ...group }] })
    return Effect.runPromise(runHooks(registry.get("PreToolUse") ?? [], "PreToolUse", INPUT, "toolu_1", local))
  }

  it("decide like a client's callbacks", async () => {
    says(200, JSON.stringify({ hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "ask" } }))
    expect((await runWith({ matcher: "Write" })).permission).toEqual({ behavior: "ask" })
    expect((await runWith({ matcher: "Read" })).ran).toBe(0)
  })

  it("deny a call when they fail, unless onFailure is set", async () => {
    says(500)
    expect((await runWith({})).permission?.behavior).toBe("deny")
    expect((await runWith({ onFailure: "block" })).permission?.behavior).toBe("deny")
    expect((await runWith({ onFailure: "continue" })).permission).toBeNull()
    expect((await runWith({ onFailure: "block" }, { onFailure: "continue" })).permission).toBeNull()
    expect((await runWith({ onFailure: "ask" })).permission).toEqual({
      behavior: "ask",
      reason: `A PreToolUse hook failed, so a person is asked: The hook at ${origin} answered with status 500.`,
    })
  })

  it("deny a call when they do not answer in time, unless onFailure is set", async () => {
    answer = () => undefined
    const outcome = await runWith({}, { timeout: 0.1 })
    expect(outcome.permission?.behavior).toBe("deny")
    expect(outcome.failures).toEqual([{ kind: "timeout", message: "No response within 100 ms.", blocks: true }])
    expect((await runWith({ onFailure: "continue" }, { timeout: 0.1 })).permission).toBeNull()
    expect((await runWith({ onFailure: "ask" }, { timeout: 0.1 })).permission?.behavior).toBe("ask")
  })

  const FAILURES: ReadonlyArray<readonly [how: string, fail: () => void]> = [
    ["status 500", () => says(500)],
    ["status 404", () => says(404)],
    ["a redirect", () => says(302, "", { location: `${origin}/else` })],
    ["no JSON", () => says(200, "<html>")],
    ["no object", () => says(200, "null")],
    ["a repeated key", () => says(200, '{"decision":"block","decision":"approve"}')],
    ["not a hook output", () => says(200, JSON.stringify({ decision: "maybe" }))],
    ["Setup's output", () => says(200, JSON.stringify({ hookSpecificOutput: { hookEventName: "Setup" } }))],
    ["too much", () => says(200, `{}${" ".repeat(1024 * 1024)}`)],
  ]

  it(`block at each of the ${DECIDING_EVENTS.size} deciding events, and at no other, after each of ${FAILURES.length} failures`, async () => {
    for (const [how, fail] of FAILURES) {
      fail()
      for (const event of HOOK_EVENTS.filter((name) => how !== "Setup's output" || name !== "Setup")) {
        const refused = async (onFailure?: "continue" | "block") => {
          const group = {
            hooks: [{ type: "http" as const, url: url() }],
            ...(onFailure === undefined ? {} : { onFailure }),
          }
          const entries = httpHooks({ [event]: [group] }).get(event) ?? []
          const outcome = await Effect.runPromise(runHooks(entries, event, INPUT, undefined, local))
          expect(outcome.failures).toHaveLength(1)
          const { permission, block, request, modelSwitch } = outcome
          return [permission?.behavior, request?.behavior, modelSwitch?.behavior].includes("deny") || block !== null
        }
        expect(await refused(), `${event}: ${how}`).toBe(DECIDING_EVENTS.has(event))
        expect(await refused("continue"), `${event}: ${how}`).toBe(false)
      }
    }
  })

  it("that fail are not overruled by a later approval", async () => {
    const hooks = [{ type: "http" as const, url: url() }]
    const [broken, good] =
      httpHooks({ PermissionRequest: [{ hooks: [...hooks, ...hooks] }] }).get("PermissionRequest") ?? []
    const decision = { hookSpecificOutput: { hookEventName: "PermissionRequest", decision: { behavior: "allow" } } }
    const outcome = await Effect.runPromise(
      runHooks([broken!, good!], "PermissionRequest", INPUT, undefined, ({ entry }) =>
        entry === broken
          ? Effect.fail(new HookFailure({ kind: "threw", message: "broken" }))
          : Effect.as(Effect.yieldNow, decision),
      ),
    )
    expect(outcome.request).toMatchObject({ behavior: "deny" })
  })
})
