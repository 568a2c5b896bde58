// What a channel shows of a text: tags, directives, media and silence, for any split of the text.
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type Piece, PieceBuffer } from "../../../../src/views/reply/text/pieces.ts"
import { ReplyText } from "../../../../src/views/reply/text/reply-text.ts"
import { cpuTime } from "../../../support/values/cpu-time.ts"

const joined = (made: ReadonlyArray<Piece>): ReadonlyArray<Piece> => {
  const pieces = new PieceBuffer()
  for (const piece of made) {
    if (piece.kind === "text" || piece.kind === "thinking") pieces.addText(piece.kind, piece.text)
    else pieces.add(piece)
  }
  return pieces.take()
}

const read = (deltas: Iterable<string>, finalOnly = false) => {
  const text = new ReplyText({ finalOnly })
  const pieces = Array.from(deltas, (delta) => text.push(delta)).flat()
  return { pieces: joined([...pieces, ...text.end()]), silent: text.silent }
}

const text = (shown: string): Piece => ({ kind: "text", text: shown })
const thinking = (shown: string): Piece => ({ kind: "thinking", text: shown })
const media = (url: string): Piece => ({ kind: "media", url })
const reply = (id: string | null): Piece => ({ kind: "reply", id })
const audio: Piece = { kind: "audio" }

type Row = readonly [rule: string, raw: string, pieces: ReadonlyArray<Piece>]
const U = "https://cdn.acme.com/a.png"

const TAGS: ReadonlyArray<Row> = [
  ["`<think>` is thinking", "<think>hm</think>Yes", [thinking("hm"), text("Yes")]],
  [
    "`<thinking>`, `<thought>` and `<antthinking>` too",
    "<thinking>a</thinking><thought>b</thought><antthinking>c</antthinking>d",
    [thinking("abc"), text("d")],
  ],
  ["in any case, with spaces", "< Think >hm< / THINK >Yes", [thinking("hm"), text("Yes")]],
  ["a tag that is never closed takes the rest", "Yes <think>hm", [text("Yes "), thinking("hm")]],
  ["a closing tag alone is left out", "Yes</think> no", [text("Yes no")]],
  ["`<final>` is left out", "<final>Yes</final>", [text("Yes")]],
  ["tags in a code span are text", "Use `<think>` here", [text("Use `<think>` here")]],
  [
    "tags in a fence are text",
    "```\n<think>\n```\n<think>x</think>y",
    [text("```\n<think>\n```\n"), thinking("x"), text("y")],
  ],
  ["other tags are text", "<b>bold</b> <thinker>", [text("<b>bold</b> <thinker>")]],
  ["a backtick in what is thought opens no code", "<think>`</think>A `b`", [thinking("`"), text("A `b`")]],
  ["a comparison is text", "a < b and c <d", [text("a < b and c <d")]],
]

const DIRECTIVES: ReadonlyArray<Row> = [
  ["`[[reply_to_current]]` at the beginning", "[[reply_to_current]] Hello", [reply(null), text("Hello")]],
  ["on a line of its own", "[[reply_to_current]]\nHello", [reply(null), text("Hello")]],
  ["`[[reply_to: id]]`", "[[reply_to: msg-7]] Hello", [reply("msg-7"), text("Hello")]],
  ["with spaces, in any case", "[[ Reply_To : msg 7 ]]Hello", [reply("msg 7"), text("Hello")]],
  ["a target behind white space", "Hello [[reply_to:7]] there", [text("Hello "), reply("7"), text("there")]],
  ["a target within a word is text", "a[[reply_to:7]]b", [text("a[[reply_to:7]]b")]],
  ["a target without an id is text", "[[reply_to: ]] x", [text("[[reply_to: ]] x")]],
  ["`[[audio_as_voice]]` anywhere", "Hello[[audio_as_voice]]there", [text("Hello"), audio, text(" there")]],
  ["before a mark no space is put", "Hello[[audio_as_voice]].", [text("Hello"), audio, text(".")]],
  ["`[[react: emoji]]`", "[[react: 👍]]Fine", [{ kind: "react", emoji: "👍", current: false }, text("Fine")]],
  ["`[[react_to_current: emoji]]`", "[[react_to_current:🎉]]", [{ kind: "react", emoji: "🎉", current: true }]],
  ["one behind the other", "[[reply_to:1]][[audio_as_voice]]Hi", [reply("1"), audio, text("Hi")]],
  ["what is no directive is text", "[[wiki link]] and [[audio]]", [text("[[wiki link]] and [[audio]]")]],
  ["an open directive at the end is text", "Hi [[reply_to_cur", [text("Hi [[reply_to_cur")]],
  ["a directive does not go on in the next line", "[[reply_to:\n7]]", [text("[[reply_to:\n7]]")]],
  ["three brackets: the inner two count", "[ [[audio_as_voice]]", [text("[ "), audio]],
  ["in a code span it is text", "Say `[[audio_as_voice]]`", [text("Say `[[audio_as_voice]]`")]],
  ["in a span of two backticks too", "``a ` [[audio_as_voice]]``x", [text("``a ` [[audio_as_voice]]``x")]],
  ["in a fence it is text", "```md\n[[reply_to_current]]\n```\nx", [text("```md\n[[reply_to_current]]\n```\nx")]],
  ["in a fence's opening line too", "~~~ [[audio_as_voice]]\n~~~\n", [text("~~~ [[audio_as_voice]]\n~~~\n")]],
  ["in an indented block too", "    [[audio_as_voice]]\nx", [text("[[audio_as_voice]]\nx")]],
  ["behind a fence it counts again", "```\na\n```\n[[audio_as_voice]]\nx", [text("```\na\n```\n"), audio, text("x")]],
  ["a code span ends with its paragraph", "it`s\n\n[[audio_as_voice]]x", [text("it`s\n\n"), audio, text("x")]],
  ["a code span goes on in the next line", "`a\n[[audio_as_voice]]`", [text("`a\n[[audio_as_voice]]`")]],
]

const MEDIA: ReadonlyArray<Row> = [
  ["an https URL", `Look\nMEDIA: ${U}`, [text("Look\n"), media(U)]],
  ["in any case, indented by up to three spaces", `   media:${U}\nx`, [media(U), text("x")]],
  ["in backticks or quotes", `MEDIA: \`${U}\``, [media(U)]],
  ["several on a line", `MEDIA: ${U} ${U}?2`, [media(U), media(`${U}?2`)]],
  ["what else is on the line is text", `MEDIA: ${U} the chart`, [media(U), text("the chart")]],
  ["http is no medium", "MEDIA: http://cdn.acme.com/a.png", [text("MEDIA: http://cdn.acme.com/a.png")]],
  ["credentials are no medium", "MEDIA: https://me:pw@acme.com/a", [text("MEDIA: https://me:pw@acme.com/a")]],
  ["a private address is no medium", "MEDIA: https://192.168.0.1/a", [text("MEDIA: https://192.168.0.1/a")]],
  ["nor is an IPv6 one", "MEDIA: https://[fd00::1]/a", [text("MEDIA: https://[fd00::1]/a")]],
  ["nor is a host without a domain", "MEDIA: https://localhost/a", [text("MEDIA: https://localhost/a")]],
  ["nor is one of a local network", "MEDIA: https://nas.local/a", [text("MEDIA: https://nas.local/a")]],
  [
    "a URL of 4096 characters",
    `MEDIA: ${U}?${"x".repeat(4096 - U.length - 1)}`,
    [media(`${U}?${"x".repeat(4096 - U.length - 1)}`)],
  ],
  ["a longer one is text", `MEDIA: ${U}?${"x".repeat(4096)}`, [text(`MEDIA: ${U}?${"x".repeat(4096)}`)]],
  ["an absolute path", "MEDIA: /workspace/out/a.png", [media("/workspace/out/a.png")]],
  [
    "a relative path, and one of the home folder",
    "MEDIA: ./a.png\nMEDIA: ~/b.png",
    [media("./a.png"), media("~/b.png")],
  ],
  ["a path with spaces", 'MEDIA: "/workspace/my file.png"', [media("/workspace/my file.png")]],
  ["without quotes too", "MEDIA: /workspace/my file.png", [media("/workspace/my file.png")]],
  ["the name of a file", "MEDIA: chart.png", [media("chart.png")]],
  ["a `file:` URL is its path", "MEDIA: file:///workspace/a.png", [media("/workspace/a.png")]],
  ["a path that leaves its folder is left out", "a\nMEDIA: ../../etc/passwd\nb", [text("a\nb")]],
  ["wherever it does so", "MEDIA: /workspace/../etc/passwd", []],
  ["another user's folder is left out", "MEDIA: ~root/a", []],
  ["within a line it is text", `See MEDIA: ${U}`, [text(`See MEDIA: ${U}`)]],
  ["without anything it is text", "MEDIA:\nx", [text("MEDIA:\nx")]],
  ["in a fence it is text", `\`\`\`\nMEDIA: ${U}\n\`\`\``, [text(`\`\`\`\nMEDIA: ${U}\n\`\`\``)]],
  ["in a code span over lines too", `\`a\nMEDIA: ${U}\``, [text(`\`a\nMEDIA: ${U}\``)]],
  ["behind a directive it counts", `[[audio_as_voice]]\nMEDIA: ${U}`, [audio, media(U)]],
]

const SILENCE: ReadonlyArray<readonly [rule: string, raw: string, shown: string, silent: boolean]> = [
  ["`NO_REPLY` alone", "NO_REPLY", "", true],
  ["with white space around it", "  NO_REPLY \n", "", true],
  ["`HEARTBEAT_OK` alone", "HEARTBEAT_OK", "", true],
  ["at the end of a text", "Done. NO_REPLY", "Done. ", true],
  ["on a line of its own at the end", "Done.\n\nNO_REPLY\n", "Done.\n\n", true],
  ["behind asterisks", "Done.**NO_REPLY", "Done.", true],
  ["before real text it is text", "NO_REPLY is the token", "NO_REPLY is the token", false],
  ["within a word it is text", "DO_NO_REPLY", "DO_NO_REPLY", false],
  ["in a code span it is text", "It is `NO_REPLY`", "It is `NO_REPLY`", false],
  ["the beginning of one is text", "NO_REP", "NO_REP", false],
  ["in small letters it is text", "no_reply", "no_reply", false],
  ["with a mark behind it it is text", "NO_REPLY.", "NO_REPLY.", false],
  ["bold text keeps its asterisks", "**bold**", "**bold**", false],
]

describe("a text", () => {
  it.each([...TAGS, ...DIRECTIVES, ...MEDIA])("%s", (_rule, raw, pieces) => {
    expect(read([raw]).pieces).toEqual(pieces)
    expect(read(raw).pieces).toEqual(pieces)
  })

  it.each(SILENCE)("silence: %s", (_rule, raw, shown, silent) => {
    for (const deltas of [[raw], raw]) {
      expect(read(deltas)).toEqual({ pieces: shown === "" ? [] : [text(shown)], silent })
    }
  })

  it("is read only between `<final>` tags if configured", () => {
    expect(read("Let me see.<final>Yes</final> done", true).pieces).toEqual([text("Yes")])
    expect(read("Let me see.", true).pieces).toEqual([])
    expect(read("<think>hm</think>`<final>`<final>a</final>b<final>c", true).pieces).toEqual([
      thinking("hm"),
      text("ac"),
    ])
  })

  it("is buffered while it may become a directive, a tag, a line of media, or silence", () => {
    const begun = (raw: string) => new ReplyText({ finalOnly: false }).push(raw)
    for (const raw of [
      "[",
      "[[",
      "[[reply_to: 7",
      "<",
      "<thi",
      "MED",
      "MEDIA: https://cdn.acme",
      "NO_RE",
      "NO_REPLY",
      "**",
    ]) {
      expect(begun(raw)).toEqual([])
      expect(begun(`ok\n${raw}`)).toEqual([text("ok\n")])
    }
    for (const raw of ["[x", "[[x", "<b", "MEDAL", "NOPE"]) expect(begun(raw)).toEqual([text(raw)])
  })

  const parts = fc.constantFrom(
    ..."word |[[reply_to_current]]|[[reply_to: 9]]|[[audio_as_voice]]|[[react: x]]|[[|]]|[|<think>|</think>|<final>|</final>|<|`|``|```|```js|~~~|\n|\n\n|    | |MEDIA: https://cdn.acme.com/a.png|MEDIA: ../x|MEDIA:|NO_REPLY|HEARTBEAT_OK|NO_|*|**|. ".split(
      "|",
    ),
  )

  it("spaces in what may become a directive cost one pass", () => {
    const spent = cpuTime()
    const raw = `[[reply_to:${" ".repeat(280)}x `.repeat(10)
    expect(read([raw]).pieces).toEqual([text(raw)])
    expect(spent()).toBeLessThan(4_000)
  })

  it("has the same meaning for any split", () => {
    fc.assert(
      fc.property(
        fc.array(parts, { maxLength: 14 }),
        fc.array(fc.nat(), { maxLength: 8 }),
        fc.boolean(),
        (made, cuts, finalOnly) => {
          const raw = made.join("")
          const places = [...new Set([0, ...cuts.map((cut) => cut % (raw.length + 1))])].toSorted((a, b) => a - b)
          const deltas = places.map((place, index) => raw.slice(place, places[index + 1]))
          expect(read(deltas, finalOnly)).toEqual(read([raw], finalOnly))
          expect(read(raw, finalOnly)).toEqual(read([raw], finalOnly))
        },
      ),
      { numRuns: 1000 },
    )
  })
})
