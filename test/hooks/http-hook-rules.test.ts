// Which addresses and headers HTTP hooks may have, when a session is created and when they are called.
import { Effect, Result } from "effect"
import { describe, expect, it } from "vitest"
import { callHttpHook } from "../../src/hooks/http-hook.ts"
import { hookIssues, privateNames } from "../../src/hooks/http-hook-rules.ts"
import { newWebhookSecret } from "../../src/hooks/sign-webhook.ts"
import { fetchSettings, type FetchSettings, guardedFetch } from "../../src/net/guarded-fetch.ts"
import { HOOK_EVENTS } from "../../src/schemas/sdk/hooks/hooks.ts"
import type { HttpHook, HttpHookMatchers } from "../../src/schemas/sdk/hooks/http-hooks.ts"
import { entryOf } from "./answers.ts"
import { CLOSED_HOOKS, PRIVATE_ANSWERS, REFUSED_HEADERS, REFUSED_HOOKS } from "./hook-addresses.ts"

const RESOLVER = "https://resolver.acme.com/dns-query"
const STRICT = fetchSettings(undefined, "off")
const FIELD = "hooks.PreToolUse[0].hooks[0]"

const hooksAt = (hook: Partial<HttpHook>, onFailure?: "continue" | "block" | "ask"): HttpHookMatchers => ({
  PreToolUse: [
    {
      hooks: [{ type: "http", url: "https://hooks.acme.com/", ...hook }],
      ...(onFailure === undefined ? {} : { onFailure }),
    },
  ],
})

/** A resolver that answers from the table, or never; other fetches are recorded. */
const resolving = (called: Array<string>, silent = false): FetchSettings => ({
  ...fetchSettings(undefined, RESOLVER),
  fetch: async (url, init) => {
    if (!url.startsWith(RESOLVER)) {
      called.push(url)
      return new Response(null, { status: 204 })
    }
    if (silent)
      return new Promise((_, reject) => init.signal?.addEventListener("abort", () => reject(new Error("aborted"))))
    const { searchParams } = new URL(url)
    const known = PRIVATE_ANSWERS.find(([name]) => name === searchParams.get("name"))
    const [, a, aaaa] = known ?? ["", ["93.184.216.34"], []]
    const type = Number(searchParams.get("type"))
    return Response.json({ Status: 0, Answer: (type === 1 ? a : aaaa).map((data) => ({ type, data })) })
  },
})

const call = (url: string, settings: FetchSettings, headers: Record<string, string> = {}) =>
  Effect.runPromise(
    Effect.result(
      callHttpHook({
        fetch: guardedFetch(settings),
        secrets: Effect.succeed([newWebhookSecret()]),
        now: () => 0,
      })({ entry: entryOf(0, { kind: "http", url, headers }), event: "PreToolUse", input: {} }, "msg_1"),
    ),
  )

describe(`the ${REFUSED_HOOKS.length} addresses that no hook may have`, () => {
  it("are refused by field when a session is created", () => {
    for (const url of REFUSED_HOOKS) {
      const issues = hookIssues(hooksAt({ url }), STRICT)
      expect(issues, JSON.stringify(url)).toMatchObject([{ field: `${FIELD}.url` }])
      expect(issues[0]?.message).not.toContain("secret")
    }
  })

  it("are not called if a session still has them", async () => {
    for (const url of CLOSED_HOOKS) {
      const called: Array<string> = []
      const settings = { ...STRICT, fetch: (to: string) => (called.push(to), Promise.resolve(new Response("{}"))) }
      expect(Result.isFailure(await call(url, settings)), url).toBe(true)
      expect(called).toEqual([])
    }
  })
})

describe(`the ${PRIVATE_ANSWERS.length} names that resolve to private addresses`, () => {
  it("are refused when a session is created", async () => {
    for (const [name] of PRIVATE_ANSWERS) {
      const matchers = hooksAt({ url: `https://${name}/` })
      expect(hookIssues(matchers, STRICT)).toEqual([])
      expect(await Effect.runPromise(privateNames(matchers, resolving([]))), name).toMatchObject([
        { field: `${FIELD}.url` },
      ])
    }
  })

  it("are not called if the name has since changed to one", async () => {
    for (const [name] of PRIVATE_ANSWERS) {
      const called: Array<string> = []
      expect(Result.isFailure(await call(`https://${name}/`, resolving(called))), name).toBe(true)
      expect(called).toEqual([])
    }
  })

  it("do not fail a session while the resolver is down, and are not called then", async () => {
    const settings = { ...resolving([]), fetch: () => Promise.reject(new Error("no network")) }
    const matchers = hooksAt({ url: "https://private.acme.com/" })
    expect(await Effect.runPromise(privateNames(matchers, settings))).toEqual([])
    expect(Result.isFailure(await call("https://private.acme.com/", settings))).toBe(true)
  })

  it("are accepted if the server's settings allow them", async () => {
    const url = "https://private.acme.com/"
    for (const more of [{ allow: new Set(["private.acme.com"]) }, { allowPrivate: true }]) {
      const called: Array<string> = []
      const settings = { ...resolving(called), ...more }
      expect(await Effect.runPromise(privateNames(hooksAt({ url }), settings))).toEqual([])
      expect(Result.isSuccess(await call(url, settings))).toBe(true)
      expect(called).toEqual([url])
    }
  })
})

describe("a public hook", () => {
  it.each(["https://hooks.acme.com/a?b=c#d", "http://hooks.acme.com:8080", "https://bücher.de/✓", "https://8.8.8.8/"])(
    "may be %s",
    async (url) => {
      expect(hookIssues(hooksAt({ url, headers: { Authorization: "Bearer ü", "x-empty": "" } }), STRICT)).toEqual([])
      expect(await Effect.runPromise(privateNames(hooksAt({ url }), resolving([])))).toEqual([])
    },
  )

  it("is resolved once per name", async () => {
    const seen: Array<string> = []
    const { fetch, ...settings } = resolving([])
    const counting = { ...settings, fetch: (url: string, init: RequestInit) => (seen.push(url), fetch(url, init)) }
    const hooks = Array.from({ length: 20 }, (_, n) => ({ type: "http" as const, url: `https://hooks.acme.com/${n}` }))
    await Effect.runPromise(privateNames({ Stop: [{ hooks }], PreToolUse: [{ hooks }] }, counting))
    expect(seen).toHaveLength(2)
  })
})

describe(`the ${REFUSED_HEADERS.length} headers that no hook may have`, () => {
  it("are refused by field, and no value is repeated", () => {
    for (const headers of REFUSED_HEADERS) {
      const issues = hookIssues(hooksAt({ headers }), STRICT)
      expect(issues, JSON.stringify(headers)).toHaveLength(1)
      expect(issues[0]?.field.startsWith(`${FIELD}.headers`)).toBe(true)
      expect(JSON.stringify(issues)).not.toContain("canary")
    }
  })
})

describe("`onFailure: ask`", () => {
  it("is only for PreToolUse, on a hook and on its matcher", () => {
    for (const event of HOOK_EVENTS) {
      const hook = { type: "http" as const, url: "https://hooks.acme.com/" }
      const onHook = hookIssues({ [event]: [{ hooks: [{ ...hook, onFailure: "ask" }] }] }, STRICT)
      const onMatcher = hookIssues({ [event]: [{ hooks: [hook], onFailure: "ask" }] }, STRICT)
      expect(onHook.map(({ field }) => field)).toEqual(
        event === "PreToolUse" ? [] : [`hooks.${event}[0].hooks[0].onFailure`],
      )
      expect(onMatcher.map(({ field }) => field)).toEqual(event === "PreToolUse" ? [] : [`hooks.${event}[0].onFailure`])
    }
  })
})

describe("a matcher", () => {
  it.each(["Write(", "[a", "a{2,1}", "*Write", "(?P<x", "+"])(
    "%s, which would match nothing, is refused",
    (matcher) => {
      const hooks = [{ type: "http" as const, url: "https://hooks.acme.com/" }]
      expect(hookIssues({ PreToolUse: [{ hooks }, { matcher, hooks }] }, STRICT)).toMatchObject([
        { field: "hooks.PreToolUse[1].matcher" },
      ])
    },
  )

  it.each(["", "*", "Write|Edit", "mcp__.*", "^Bash$", "(?!Read).*", "Bash, Write"])("may be %j", (matcher) => {
    const hooks = [{ type: "http" as const, url: "https://hooks.acme.com/" }]
    expect(hookIssues({ PreToolUse: [{ matcher, hooks }] }, STRICT)).toEqual([])
  })
})

it("a session has at most 200 HTTP hooks", () => {
  const hooks = Array.from({ length: 20 }, () => ({ type: "http" as const, url: "https://hooks.acme.com/" }))
  const groups = (count: number) => Array.from({ length: count }, () => ({ hooks }))
  expect(hookIssues({ PreToolUse: groups(5), Stop: groups(5) }, STRICT)).toEqual([])
  expect(hookIssues({ PreToolUse: groups(5), Stop: groups(6) }, STRICT)).toMatchObject([{ field: "hooks" }])
})
