// HTML character references in a Markdown text.
import { expect, it } from "vitest"
import { resolveEntities } from "../../../../src/console/chat/markdown/entities.ts"

it.each([
  ["a &amp; b &#65; &#x42; &nope;", "a & b A B &nope;"],
  ["&constructor; &toString; &valueOf;", "&constructor; &toString; &valueOf;"],
])("%j is read as %j", (text, read) => expect(resolveEntities(text)).toBe(read))
