import { expect, it } from "vitest"
import { resolveEntities } from "../../../../src/console/chat/markdown/entities.ts"
import { safeLink } from "../../../../src/console/chat/markdown/safe-link.ts"

it.each([
  ["https://example.com/a?b=c#d", "https://example.com/a?b=c#d"],
  ["http://example.com", "http://example.com/"],
  ["mailto:ada@example.com", "mailto:ada@example.com"],
])("links to %s", (address, expected) => {
  expect(safeLink(address)).toBe(expected)
})

it.each([
  "javascript:alert(1)",
  "JaVaScRiPt:alert(1)",
  " javascript:alert(1)",
  "java\nscript:alert(1)",
  "\u0001javascript:alert(1)",
  "vbscript:x",
  "data:text/html,<script>alert(1)</script>",
  "blob:https://example.com/1",
  "file:///etc/passwd",
  "/relative",
  "#fragment",
  "",
])("does not link to %j", (address) => {
  expect(safeLink(address)).toBeNull()
})

it("resolves character references, and leaves other text unchanged", () => {
  expect(resolveEntities("a &amp; b &lt;c&gt; &#39;d&#39; &#x41; &nosuch; &")).toBe("a & b <c> 'd' A &nosuch; &")
  expect(resolveEntities("&#0; &#xD800; &#9999999;")).toBe("� � �")
})
