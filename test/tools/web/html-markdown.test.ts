// Pages as Markdown: ordinary ones, and ones that try to break the conversion.
import { describe, expect, it } from "vitest"
import { htmlToMarkdown } from "../../../src/tools/web/html-markdown.ts"
import { cpuTime } from "../../support/values/cpu-time.ts"

describe("a page", () => {
  it.each([
    ["<h1>Hi <em>there</em></h1><p>One<br>two", "# Hi _there_\n\nOne  \ntwo"],
    ["<p>a<p>b &eacute; &lt;x&gt; &#x263A; &nope;", "a\n\nb é <x> ☺ &nope;"],
    ['<a href="/x?a=1&amp;b=2">link</a>', "[link](/x?a=1&b=2)"],
    ["<ul><li>a<li>b <b>c</b><ul><li>d</ul></ul>", "- a\n- b **c**\n  - d"],
    ['<pre><code class="language-ts">a = 1 &lt; 2\n  <i>b</i></code></pre>', "```ts\na = 1 < 2\n  b\n```"],
    ["<table><tr><th>a<th>b<tr><td>1<td>2</table>", "| a | b |\n| 1 | 2 |"],
    ["<title>A &amp; B</title><style>x{}</style><script>'<p>'</script>text<!-- c -->", "Title: A & B\n\ntext"],
    ["1 < 2 <", "1 < 2 <"],
    ["<p>a <constructor>b</constructor>", "a b"],
    ["", ""],
  ])("%j is read", (html, text) => expect(htmlToMarkdown(html)).toBe(text))
})

describe("a page that is designed to be slow", () => {
  const SIZE = 100_000
  it.each([
    "<div>",
    "<b>x",
    "<ul><li>",
    "<",
    '<a x="',
    "<!--",
    "<script>",
    "<b>x&nbsp; ",
    "<p>\u00a0 ",
    "<a b   ",
    "&",
  ])("of many %j ends", (piece) => {
    const spent = cpuTime()
    htmlToMarkdown(piece.repeat(SIZE / piece.length))
    expect(spent()).toBeLessThan(3_000)
  })
})
