// Images and documents in a session: each is stored once and referenced by a mark, and every reader receives it whole.
import { describe, expect, it } from "vitest"
import type { Block } from "../../../src/schemas/sdk/messages/blocks.ts"
import { hasMarks } from "../../../src/schemas/log/media-mark.ts"
import type { LogEvent } from "../../../src/schemas/log/events.ts"
import { queueMessagesOf } from "../../../src/store/delivery/hook-message.ts"
import { rowsOf } from "../../../src/store/delivery/flush.ts"
import { PartsProjection } from "../../../src/views/parts/parts.ts"
import { projectParts } from "../../support/values/project-parts.ts"
import { Blobs } from "../../../src/workspace/blobs.ts"
import { imageBlock, pdf, png } from "../../support/values/images.ts"
import { DONE, hooksOf, loop, payloadsOf, until } from "../../support/session/loop.ts"
import { call, promptFor, text, toolUseId } from "../../support/session/scripts.ts"
import {
  type Booted,
  eventsOf,
  prompt,
  SESSION_ID,
  type SessionHarness,
} from "../../support/session/session-harness.ts"
import { logEvent, newEvent } from "../../support/session/log-event.ts"

const { connected, scripted, messagesSent, harnessOf } = loop()

/** Larger than a blob's chunk. */
const PICTURE = png(1_600_001)
const BASE64 = PICTURE.toString("base64")

const stored = ({ twin }: SessionHarness) => {
  const [blobs] = twin.sql.exec<{ bytes: number }>("SELECT SUM(LENGTH(data)) AS bytes FROM blobs").toArray()
  const [rows] = twin.sql.exec<{ bytes: number }>("SELECT SUM(LENGTH(json)) AS bytes FROM events").toArray()
  return { blobs: blobs?.bytes ?? 0, rows: rows?.bytes ?? 0 }
}

/** The events as their readers receive them. */
const whole = ({ log }: Booted): ReadonlyArray<LogEvent> =>
  eventsOf(log).map((event) => logEvent({ ...event, payload: log.media.wholeValue(event.payload) }))

const read = (path: string) => call("Read", { file_path: path })

/** Counts the occurrences of a text in another. */
const count = (all: string, part: string): number => all.split(part).length - 1

const run = async (booted: Booted, turns: Parameters<typeof scripted>[0], added = "") => {
  const script = scripted(turns)
  const turn = prompt(booted.session, `${promptFor(script)} ${added}`)
  await booted.idle()
  return { script, turn }
}

describe("an image that a turn reads twice", () => {
  it("is stored once: file, message, structured result and hook events refer to it", async () => {
    const session = await connected()
    session.workspace.writeBytes("/workspace/a.png", PICTURE)
    await run(session, [{ content: [read("/workspace/a.png"), read("/workspace/a.png")] }, DONE])
    expect(stored(session.harness).blobs).toBe(PICTURE.length)
    expect(stored(session.harness).rows).toBeLessThan(100_000)
    const events = whole(session)
    const results = payloadsOf(events, "sdk:user")
    expect(results).toHaveLength(2)
    for (const result of results) {
      expect(result).toMatchObject({
        message: { content: [{ content: [imageBlock(PICTURE)] }] },
        tool_use_result: { type: "image", file: { base64: BASE64, originalSize: PICTURE.length } },
      })
    }
    const fired = events.filter(({ name }) => name === "hook:fired")
    expect(hooksOf(events)).toContain("PostToolBatch")
    // Two for PostToolUse, and two for PostToolBatch.
    expect(count(JSON.stringify(fired), BASE64)).toBe(4)
  })

  it("is sent to the model whole, in this process and in the next", async () => {
    const session = await connected()
    session.workspace.writeBytes("/workspace/a.png", PICTURE)
    const first = await run(session, [{ content: [read("/workspace/a.png"), read("/workspace/a.png")] }, DONE])
    expect(count(JSON.stringify(messagesSent(first.script).at(-1)), BASE64)).toBe(2)
    session.harness.crash()
    const next = session.harness.boot()
    const second = await run(next, [DONE])
    const sent = messagesSent(second.script).at(-1)
    expect(count(JSON.stringify(sent), BASE64)).toBe(2)
    expect(sent?.[2]?.content[0]).toMatchObject({ type: "tool_result", content: [imageBlock(PICTURE)] })
  })

  it("is not kept in the session's memory: its conversation is a few thousand characters", async () => {
    const session = await connected()
    session.workspace.writeBytes("/workspace/a.png", PICTURE)
    await run(session, [{ content: [read("/workspace/a.png")] }, DONE])
    expect(JSON.stringify(session.session.memory.transcript.messages()).length).toBeLessThan(5_000)
    session.harness.crash()
    expect(JSON.stringify(session.harness.boot().session.memory.transcript.messages()).length).toBeLessThan(5_000)
  })

  it("is passed whole to hooks, including those for all calls of a batch", async () => {
    const inputs: Array<Readonly<Record<string, unknown>>> = []
    const hook = (input: Readonly<Record<string, unknown>>) => {
      inputs.push(input)
      return {}
    }
    const session = await connected({ PostToolUse: hook, PostToolBatch: hook })
    session.workspace.writeBytes("/workspace/a.png", PICTURE)
    await run(session, [{ content: [read("/workspace/a.png")] }, DONE])
    expect(inputs.map((input) => input["hook_event_name"])).toEqual(["PostToolUse", "PostToolBatch"])
    for (const input of inputs) expect(count(JSON.stringify(input), BASE64)).toBe(1)
  })

  it("reaches a client's socket whole, live and in a replay", async () => {
    const session = await connected()
    session.workspace.writeBytes("/workspace/a.png", PICTURE)
    await run(session, [{ content: [read("/workspace/a.png")] }, DONE])
    const isResult = (frame: Readonly<Record<string, unknown>>) => frame["type"] === "user"
    const live = session.client.frames.filter(isResult)
    expect(live).toEqual(payloadsOf(whole(session), "sdk:user"))
    const later = session.harness.connect()
    session.harness.attach(later, 0)
    await until(() => later.frames.some(({ type }) => type === "result"))
    expect(later.frames.filter(isResult)).toEqual(live)
  })
})

describe("an image of a prompt", () => {
  it("is stored once, sent whole, and read back whole in messages", async () => {
    const session = await connected()
    const script = scripted([DONE])
    const turn = crypto.randomUUID()
    session.session.prompts.submit({
      turn,
      prompt: [text(promptFor(script)), imageBlock(PICTURE)],
      onBusy: "queue",
      options: { replay_user_messages: true },
      fingerprint: turn,
    })
    await session.idle()
    expect(stored(session.harness).blobs).toBe(PICTURE.length)
    expect(messagesSent(script)[0]?.[0]?.content[1]).toMatchObject(imageBlock(PICTURE))
    const parts = session.log.media.wholeValue(projectParts(SESSION_ID, eventsOf(session.log)))
    expect(parts[0]?.parts[1]).toMatchObject({ type: "file", url: `data:image/png;base64,${BASE64}` })
    expect(payloadsOf(whole(session), "turn:queued")[0]).toMatchObject({ prompt: [{}, imageBlock(PICTURE)] })
  })
})

describe("what D1 and the Queue are sent", () => {
  it("is truncated or refers to the event, never a mark", async () => {
    const session = await connected()
    session.workspace.writeBytes("/workspace/a.png", PICTURE)
    await run(session, [{ content: [read("/workspace/a.png")] }, DONE])
    const held = eventsOf(session.log)
    const rows = rowsOf("t", session.session.info(), held, new PartsProjection(SESSION_ID))
    expect(hasMarks(JSON.stringify(rows))).toBe(false)
    const tool = rows.parts.find(({ type }) => type === "tool")
    expect(JSON.parse(tool?.part ?? "")).toMatchObject({ truncated: true, type: "tool" })
    const [fromHeld, fromWhole] = [queueMessagesOf("t", "s", held), queueMessagesOf("t", "s", whole(session))]
    expect(fromHeld).toEqual(fromWhole)
    expect(fromHeld.filter(({ input }) => input["truncated"] === true)).toHaveLength(2)
    expect(rows).toEqual(rowsOf("t", session.session.info(), held, new PartsProjection(SESSION_ID)))
  })
})

describe("base64 that is not media, and unusual media", () => {
  const LONG = "QUJD".repeat(30_000)
  it.each<readonly [string, Block]>([
    ["base64 that is not the canonical text of its bytes", imageBlockOf(`${LONG.slice(0, -4)}QR==`)],
    ["base64 with line breaks", imageBlockOf(`${LONG}\n${LONG}`)],
    ["base64url", imageBlockOf(`${LONG}-_-_`)],
    ["one character too few", imageBlockOf(LONG.slice(0, -1))],
    ["short base64", imageBlockOf("QUJD")],
    ["a text that looks like a mark", { type: "text", text: `{{${"a".repeat(32)}:${"b".repeat(64)}:400}}` }],
    ["a text with the stored mark's character", { type: "text", text: `\u0001${"b".repeat(64)}:400}} \u0000` }],
    [
      "the same next to an image",
      { type: "text", text: `\u0001${"b".repeat(64)}:4}}`, source: { type: "base64", data: LONG } },
    ],
    ["an emoji next to an image", { type: "text", text: "\u{1f600}", source: { type: "base64", data: LONG } }],
    ["padding of one and of two", { type: "x", a: imageBlockOf(`${LONG}QQ==`), b: imageBlockOf(`${LONG}QUI=`) }],
    ["a long text of base64 characters", { type: "text", text: LONG }],
  ])("%s comes back as it was", (_, block) => {
    const harness = harnessOf()
    const { log } = harness.boot()
    const payload = { prompt: [block, block], options: {} }
    log.append([{ name: "turn:queued", payload }])
    harness.crash()
    const again = harness.boot().log
    const page = again.page({ after: 0, limit: 10, order: "asc" }, 1000).events[0]
    expect(again.media.whole(page?.json ?? "")).toBe(JSON.stringify(payload))
    expect(again.media.wholeValue(again.at(1)?.event.payload)).toEqual(payload)
    const copies = Array.from(again.media.bytes(page?.json ?? ""), (piece) => piece.slice())
    const streamed = Buffer.concat(copies).toString()
    expect(streamed).toBe(JSON.stringify(payload))
  })

  it("a call's input stays as the model wrote it: it is executed from the log", () => {
    const { log } = harnessOf().boot()
    const message = { type: "assistant", message: { content: [{ type: "tool_use", input: imageBlockOf(LONG) }] } }
    log.append([newEvent("sdk:assistant", message)])
    expect(log.at(1)?.event.payload).toEqual(message)
  })
})

function imageBlockOf(data: string) {
  return { type: "image", source: { type: "base64", media_type: "image/png", data } }
}

describe("files that the model has read", () => {
  const notebook = JSON.stringify({
    metadata: {},
    nbformat: 4,
    nbformat_minor: 5,
    cells: [
      {
        cell_type: "code",
        id: "one",
        source: "plot()",
        metadata: {},
        execution_count: 1,
        outputs: [
          { output_type: "display_data", metadata: {}, data: { "image/png": png(200_000).toString("base64") } },
        ],
      },
    ],
  })

  it.each([
    ["a PDF", "/workspace/a.pdf", pdf(500_000)],
    ["a notebook with a picture", "/workspace/a.ipynb", Buffer.from(notebook)],
  ])("%s is known as it is, also after a restart", async (_, path, bytes) => {
    const session = await connected()
    session.workspace.writeBytes(path, bytes)
    await run(session, [{ content: [read(path)] }, DONE])
    expect(session.session.memory.knownFiles.knowledge(session.workspace, path)).toBe("whole")
    session.harness.crash()
    const next = session.harness.boot()
    expect(next.session.memory.knownFiles.knowledge(next.workspace, path)).toBe("whole")
    next.workspace.writeBytes(path, Buffer.concat([bytes, Buffer.from(" ")]))
    const changed = path.endsWith(".pdf") ? "stale" : "whole"
    expect(next.session.memory.knownFiles.knowledge(next.workspace, path)).toBe(changed)
  })
})

describe("a log of an earlier version, with the media in its rows", () => {
  it("reads as before, and the session continues", async () => {
    const session = await connected()
    session.workspace.writeBytes("/workspace/a.png", PICTURE)
    await run(session, [{ content: [read("/workspace/a.png")] }, DONE])
    const before = whole(session)
    session.harness.crash()
    const { sql } = session.harness.twin
    const blobs = new Blobs(sql)
    for (const { seq, payload } of before) {
      const json = JSON.stringify(payload)
      const long = json.length > 256 * 1024
      const text = long ? blobs.putBlob(Buffer.from(json)) : json
      sql.exec("UPDATE events SET stored = ?, json = ? WHERE seq = ?", long ? 1 : 0, text, seq)
    }
    const next = session.harness.boot()
    expect(eventsOf(next.log)).toEqual(before)
    const { script } = await run(next, [DONE])
    expect(count(JSON.stringify(messagesSent(script).at(-1)), BASE64)).toBe(1)
  })
})

describe("a call whose result was stored before its hooks ran", () => {
  it("continues with the image after a crash", async () => {
    const session = await connected()
    session.workspace.writeBytes("/workspace/a.png", PICTURE)
    const { turn } = await run(session, [DONE])
    const use = toolUseId()
    const output = { type: "image", file: { base64: BASE64, type: "image/png", originalSize: PICTURE.length } }
    session.log.append([newEvent("tool:ran", { tool_use_id: use, content: [imageBlock(PICTURE)], output }, turn)])
    const ran = eventsOf(session.log).at(-1)
    expect(JSON.stringify(ran).length).toBeLessThan(2_000)
    expect(session.log.media.wholeValue(ran?.payload)).toMatchObject({ content: [imageBlock(PICTURE)], output })
  })
})
