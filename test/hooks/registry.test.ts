import { Result, Schema } from "effect"
import { describe, expect, it } from "vitest"
import {
  clientHookCount,
  clientHooks,
  httpHooks,
  MAX_CLIENT_HOOKS,
  mergeRegistries,
  type HookRegistry,
} from "../../src/hooks/registry.ts"
import { HookMatchers } from "../../src/schemas/sdk/hooks/hooks.ts"
import { HttpHookMatchers } from "../../src/schemas/sdk/hooks/http-hooks.ts"

const idsOf = (registry: HookRegistry) => [...registry.values()].flat().map((entry) => entry.id)

describe("a client's callbacks", () => {
  it("become entries in the order of registration", () => {
    const matchers = Result.getOrThrow(
      Schema.decodeUnknownResult(HookMatchers)({
        PreToolUse: [
          { matcher: "Write", hookCallbackIds: ["hook_0", "hook_1"], timeout: 1.5 },
          { hookCallbackIds: ["hook_2"], onFailure: "block" },
        ],
        Stop: [{ hookCallbackIds: ["hook_3"] }],
        PostToolUse: [{ hookCallbackIds: [] }],
        SomethingNew: [{ hookCallbackIds: ["hook_4"] }],
      }),
    )
    expect(Object.fromEntries(clientHooks(matchers))).toEqual({
      PreToolUse: [
        {
          id: "client:PreToolUse:0:0",
          kind: "client",
          matcher: "Write",
          timeoutMs: 1500,
          onFailure: "continue",
          callbackId: "hook_0",
        },
        {
          id: "client:PreToolUse:0:1",
          kind: "client",
          matcher: "Write",
          timeoutMs: 1500,
          onFailure: "continue",
          callbackId: "hook_1",
        },
        { id: "client:PreToolUse:1:0", kind: "client", timeoutMs: 60_000, onFailure: "block", callbackId: "hook_2" },
      ],
      Stop: [{ id: "client:Stop:0:0", kind: "client", timeoutMs: 60_000, onFailure: "continue", callbackId: "hook_3" }],
    })
  })

  it.each([
    [undefined, 60_000],
    [0, 60_000],
    [-5, 60_000],
    [0.0001, 1],
    [600, 600_000],
    [1e12, 86_400_000],
  ])("a timeout of %s seconds is %s ms", (timeout, expected) => {
    const group = { hookCallbackIds: ["hook_0"], ...(timeout === undefined ? {} : { timeout }) }
    expect(clientHooks({ Stop: [group] }).get("Stop")?.[0]?.timeoutMs).toBe(expected)
  })

  it("are counted, and at most a thousand are registered", () => {
    const many = Array.from({ length: 700 }, (_, index) => `hook_${index}`)
    const matchers = { PreToolUse: [{ hookCallbackIds: many }], Stop: [{ hookCallbackIds: many }] }
    expect(clientHookCount(matchers)).toBe(1400)
    const ids = idsOf(clientHooks(matchers))
    expect(ids).toHaveLength(MAX_CLIENT_HOOKS)
    expect(new Set(ids).size).toBe(MAX_CLIENT_HOOKS)
  })
})

describe("HTTP hooks", () => {
  it("become entries with their own timeout, or their matcher's", () => {
    const matchers = Result.getOrThrow(
      Schema.decodeUnknownResult(HttpHookMatchers)({
        PreToolUse: [
          {
            matcher: "Write",
            timeout: 5,
            onFailure: "block",
            hooks: [
              { type: "http", url: "https://a.com/1", timeout: 2, headers: { "x-key": "k" } },
              { type: "http", url: "https://a.com/2" },
            ],
          },
        ],
        Stop: [{ hooks: [{ type: "http", url: "https://a.com/3" }] }],
      }),
    )
    expect(Object.fromEntries(httpHooks(matchers))).toEqual({
      PreToolUse: [
        {
          id: "http:PreToolUse:0:0",
          kind: "http",
          matcher: "Write",
          timeoutMs: 2000,
          onFailure: "block",
          url: "https://a.com/1",
          headers: { "x-key": "k" },
        },
        {
          id: "http:PreToolUse:0:1",
          kind: "http",
          matcher: "Write",
          timeoutMs: 5000,
          onFailure: "block",
          url: "https://a.com/2",
        },
      ],
      Stop: [{ id: "http:Stop:0:0", kind: "http", timeoutMs: 60_000, onFailure: "block", url: "https://a.com/3" }],
    })
  })
})

describe("combined registries", () => {
  it("keep their order and have unique ids", () => {
    const one = clientHooks({ Stop: [{ hookCallbackIds: ["hook_0"] }] })
    const two = httpHooks({ Stop: [{ hooks: [{ type: "http", url: "https://a.com" }] }] })
    const merged = mergeRegistries(one, two, one, one)
    expect(idsOf(merged)).toEqual(["client:Stop:0:0", "http:Stop:0:0", "client:Stop:0:0#2", "client:Stop:0:0#3"])
    expect(idsOf(one)).toEqual(["client:Stop:0:0"])
    expect(mergeRegistries().size).toBe(0)
  })
})
