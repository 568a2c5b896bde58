// Which addresses may be fetched, and which redirects followed, under rules for domains and under a ruleset.
import { describe, expect, it } from "vitest"
import { deniedUrls } from "../../src/permissions/denied-urls.ts"
import { CWD, policy } from "./calls.ts"

describe("an address", () => {
  type Options = Parameters<typeof policy>[1]
  const closed = (options: Options, url: string, from?: string) =>
    deniedUrls({ cwd: CWD, matchesGlob: () => false }, policy("bypassPermissions", options))(url, from)
  const asking = (...ask: ReadonlyArray<string>) => ({ settings: { permissions: { ask } } })
  const [bare, www] = ["https://example.com/", "https://www.example.com/"]

  it.each(["WebFetch(domain:www.example.com)", "webfetch(domain:WWW.example.com)", "Web*(domain:www.example.com)"])(
    "that the deny rule %s matches is closed, also as a redirect's target",
    (rule) => {
      const options = { disallowedTools: [rule] }
      expect([closed(options, www), closed(options, www, bare), closed(options, bare, www)]).toEqual([
        true,
        true,
        false,
      ])
    },
  )

  it("that a rule asks about is no target of a redirect, unless the rule matches the first address as well", () => {
    const options = asking("WebFetch(domain:www.example.com)")
    expect([closed(options, www), closed(options, www, bare), closed(options, www, www)]).toEqual([false, true, false])
    expect(closed(asking("WebFetch(domain:*example.com)"), www, bare)).toBe(false)
    expect(closed(asking("WebFetch(domain:example.com)", "WebFetch(domain:www.example.com)"), www, bare)).toBe(true)
    expect(closed(asking("WebFetch"), www, bare)).toBe(false)
  })

  it("about which a ruleset decides less strictly is one, and no other", () => {
    const [open, other] = ["https://example.com/docs/a", "https://example.com/other"]
    const pattern = "https://example.com/docs/*"
    for (const webfetch of [{ "*": "ask", [pattern]: "allow" }, { [pattern]: "allow" }] as const) {
      const options: Options = { permission: { webfetch } }
      expect([closed(options, other, open), closed(options, open, other), closed(options, other)]).toEqual([
        true,
        false,
        false,
      ])
      expect(closed(options, `${open}/b`, open)).toBe(false)
    }
  })
})
