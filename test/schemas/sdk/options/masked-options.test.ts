// Options as they are shown to anyone.
import { Schema } from "effect"
import { describe, expect, it } from "vitest"
import { MASK, maskOptions, maskUrl } from "../../../../src/schemas/sdk/options/masked-options.ts"
import { HOOK_EVENTS } from "../../../../src/schemas/sdk/hooks/hooks.ts"
import { SessionOptions } from "../../../../src/schemas/sdk/options/options.ts"

const CANARY = "canary-123456"
const hook = { type: "http", url: `https://a.com/b?x=${CANARY}`, headers: { authorization: CANARY } } as const

describe("masked options", () => {
  it(`contain no secret of a hook at any of the ${HOOK_EVENTS.length} events, and are still valid options`, () => {
    const hooks = Object.fromEntries(HOOK_EVENTS.map((event) => [event, [{ matcher: "Bash", hooks: [hook, hook] }]]))
    const masked = maskOptions({ model: "m", hooks } as SessionOptions)
    expect(JSON.stringify(masked)).not.toContain(CANARY)
    expect(Schema.is(SessionOptions)(masked)).toBe(true)
    expect(masked.hooks?.Stop).toEqual([
      {
        matcher: "Bash",
        hooks: Array(2).fill({ type: "http", url: `https://a.com/b?${MASK}`, headers: { authorization: MASK } }),
      },
    ])
  })

  it("contain no header, environment or query of an MCP server, whatever its type", () => {
    const secrets = { url: `https://a.com/?${CANARY}`, headers: { a: CANARY, b: 1 }, env: { T: CANARY } }
    for (const type of ["sdk", "http", "sse", "stdio", undefined]) {
      const masked = maskOptions({ mcpServers: { tools: { type, name: "tools", ...secrets } } })
      expect(JSON.stringify(masked)).not.toContain(CANARY)
      expect(masked).toMatchObject({ mcpServers: { tools: { name: "tools", url: "https://a.com/?***" } } })
    }
  })

  it("contain only the type of an MCP server that is switched off", () => {
    const off = { type: "local", enabled: false, command: [CANARY], environment: { T: CANARY }, oauth: { id: CANARY } }
    expect(maskOptions({ mcpServers: { off } })).toEqual({ mcpServers: { off: { type: "local", enabled: false } } })
  })

  it("without secrets are the same object", () => {
    const options = { model: "m", allowedTools: ["Bash"], toString: 1 }
    expect(maskOptions(options)).toBe(options)
  })

  it.each([
    ["https://a.com/b", "https://a.com/b"],
    [`https://a.com/b?${CANARY}#x?y`, "https://a.com/b?***"],
    [`https://a.com/b#${CANARY}`, "https://a.com/b#***"],
    [`https://a.com/?a=\n${CANARY}`, "https://a.com/?***"],
  ])("show %j as %s", (url, shown) => expect(maskUrl(url)).toBe(shown))
})
