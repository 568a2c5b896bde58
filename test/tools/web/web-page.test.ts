// A server's response as a model reads it: text of every kind, and content that is not text.
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import type { Fetched } from "../../../src/net/guarded-fetch.ts"
import { PageCache } from "../../../src/tools/web/page-cache.ts"
import { pageOf } from "../../../src/tools/web/web-page.ts"

const answer = (body: string | Uint8Array, type?: string, more: Partial<Fetched> = {}): Fetched => ({
  url: "https://example.org/",
  status: 200,
  statusText: "OK",
  headers: new Headers(type === undefined ? {} : { "content-type": type }),
  bytes: typeof body === "string" ? new TextEncoder().encode(body) : body,
  cut: false,
  ...more,
})

const bytes = (text: string, encoding: "latin1" | "utf16le" = "latin1"): Uint8Array =>
  new Uint8Array(Buffer.from(text, encoding))

const textOf = (fetched: Fetched): string => Result.getOrThrow(pageOf(fetched)).text

describe("a page", () => {
  it.each([
    ["text/html; charset=utf-8", "<title>T</title><h1>Hi</h1>", "Title: T\n\n# Hi"],
    ["application/xhtml+xml", "<p>a &amp; b</p>", "a & b"],
    ["text/plain", "<b>as it is</b>", "<b>as it is</b>"],
    ["application/json", '{"a":[1]}', '{"a":[1]}'],
    ["application/ld+json; charset=UTF-8", "[]", "[]"],
    ["image/svg+xml", "<svg/>", "<svg/>"],
    ["text/markdown", "# M", "# M"],
    [undefined, "\n<!DOCTYPE html><p>x", "x"],
    [undefined, "plain words", "plain words"],
    ["application/pdf", "", ""],
  ])("of type %s reads as text", (type, body, text) => {
    expect(textOf(answer(body, type))).toBe(text)
  })

  it.each([
    ["image/png", new Uint8Array(10), {}, "image/png (10 bytes)"],
    ["application/pdf", new Uint8Array(99), { cut: true }, "application/pdf (more than 99 bytes)"],
    [undefined, new Uint8Array([1, 0, 2]), {}, "binary (3 bytes)"],
    ["application/octet-stream", "abc", {}, "application/octet-stream (3 bytes)"],
  ])("of type %s is not text, and has a size", (type, body, more, about) => {
    const page = pageOf(answer(body, type, more))
    expect(Result.isFailure(page) && page.failure.about).toBe(about)
  })

  it("reports the size that its server declared", () => {
    const headers = new Headers({ "content-type": "video/mp4", "content-length": "123456789" })
    const page = pageOf(answer(new Uint8Array(5), undefined, { headers, cut: true }))
    expect(Result.isFailure(page) && page.failure.about).toBe("video/mp4 (123456789 bytes)")
  })

  it("is decoded with its own encoding, or as UTF-8 if that is unknown", () => {
    expect(textOf(answer(new Uint8Array([0xe9]), 'text/plain; charset="iso-8859-1"'))).toBe("é")
    expect(textOf(answer("é", "text/plain; charset=klingon"))).toBe("é")
  })

  it("that is longer than the limit is marked as truncated", () => {
    const note = "(The page is longer; the rest was not read.)"
    expect(textOf(answer(`<p>${"x ".repeat(300_000)}`, "text/html"))).toContain(note)
    expect(textOf(answer("abc", "text/plain", { cut: true }))).toBe(`abc\n\n${note}`)
    expect(textOf(answer("abc", "text/plain"))).toBe("abc")
  })
})

describe("cached pages", () => {
  const page = (text: string) => ({ code: 200, codeText: "OK", bytes: text.length, text })

  it("are returned for 15 minutes", () => {
    let now = 0
    const cache = new PageCache(() => now)
    cache.set("a", page("one"))
    now = 15 * 60_000 - 1
    expect(cache.get("a")?.text).toBe("one")
    now += 1
    expect(cache.get("a")).toBeUndefined()
  })

  it("are limited in number, and the oldest is dropped first", () => {
    const cache = new PageCache(() => 0)
    for (let index = 0; index < 17; index += 1) cache.set(`p${index}`, page("x"))
    expect(cache.get("p0")).toBeUndefined()
    expect(cache.get("p1")).toBeDefined()
  })

  it("are limited in total size", () => {
    const cache = new PageCache(() => 0)
    for (const name of ["a", "b", "c"]) cache.set(name, page("x".repeat(1_900_000)))
    expect([cache.get("a"), cache.get("b")?.bytes, cache.get("c")?.bytes]).toEqual([undefined, 1_900_000, 1_900_000])
    cache.set("c", page("x".repeat(4_000_001)))
    expect(cache.get("c")).toBeUndefined()
    cache.set("d", page("x".repeat(2_100_000)))
    expect(cache.get("b")).toBeDefined()
  })
})

describe("the encoding of a page", () => {
  /** "привет" in windows-1251. */
  const hello = "\xef\xf0\xe8\xe2\xe5\xf2"

  it.each([
    ["its meta element", "text/html", `<head><meta charset="windows-1251"></head><p>${hello}`],
    [
      "an older meta element",
      "text/html",
      `<META http-equiv=Content-Type content="text/html; charset=windows-1251"><p>${hello}`,
    ],
    ["no header at all", undefined, `<!doctype html><meta charset=windows-1251><p>${hello}`],
    ["the header first", "text/html; charset=windows-1251", `<meta charset="utf-8"><p>${hello}`],
  ])("is taken from %s", (_name, type, body) => {
    expect(textOf(answer(bytes(body), type))).toBe("привет")
  })

  it("is taken from a byte-order mark before anything else", () => {
    const marked = bytes("\uFEFF<meta charset=latin1><p>привет", "utf16le")
    expect(textOf(answer(marked, "text/html; charset=utf-8"))).toBe("привет")
    expect(textOf(answer(bytes("\uFEFFпривет", "utf16le").slice(), "text/plain"))).toBe("привет")
    expect(textOf(answer("\uFEFF<p>é", "text/html; charset=latin1"))).toBe("é")
  })

  it("is UTF-8 if nothing else is known, or if the page declares UTF-16 in bytes that are not", () => {
    expect(textOf(answer('<meta charset="utf-16"><p>é', "text/html"))).toBe("é")
    expect(textOf(answer('<meta charset="no-such"><p>é', "text/html"))).toBe("é")
    expect(textOf(answer(`<meta charset="latin1">`.padStart(2000) + "<p>é", "text/html"))).toBe("é")
    expect(textOf(answer('<meta charset="latin1">é', "text/plain"))).toBe('<meta charset="latin1">é')
  })
})
