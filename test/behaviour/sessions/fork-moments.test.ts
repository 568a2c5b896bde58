// A session that is forked in the middle of a turn, from a message, with media, or with an interruption: the copy is complete
// or does not exist.
import { describe, expect, it } from "vitest"
import { importFork } from "../../../src/session/fork/fork-import.ts"
import { messagesPage } from "../../../src/session/pages/messages-page.ts"
import { Meta } from "../../../src/session/storage/meta.ts"
import { isRefusal } from "../../../src/session/refusal.ts"
import { Blobs } from "../../../src/workspace/blobs.ts"
import { png } from "../../support/values/images.ts"
import { call, promptFor, scriptName, textAnswer } from "../../support/session/scripts.ts"
import {
  blocksOf,
  type Booted,
  eventsOf,
  problemsOf,
  prompt,
  SESSION_ID,
  SessionHarness,
} from "../../support/session/session-harness.ts"
import { BYPASS, CHILD, exporting, forks, PAGE, PARENT, sourceOf } from "./forks.ts"

const made = forks()
const { harnessed, session, run, fork, forked, lastRequest } = made

const write = (path: string, content: string) => call("Write", { file_path: path, content })

describe("a copy of a session in the middle of a turn", () => {
  it("ends with the last finished turn: no open turn, no queued prompt, no ask, and the files of that moment", async () => {
    const harness = harnessed()
    new Meta(harness.twin.sql).set("session", {
      ...(new Meta(harness.twin.sql).get("session") as never as object),
      options: { permissionMode: "acceptEdits", settings: { permissions: { ask: ["Bash"] } } },
    } as never)
    const booted = harness.boot()
    await run(booted, [{ content: [write("/workspace/a.txt", "one")] }, textAnswer("Done.")])
    const finished = booted.log.lastSeq
    const name = scriptName("open")
    made.api.set(name, [
      { content: [write("/workspace/a.txt", "two"), call("Bash", { command: "echo x", description: "Say x" })] },
      textAnswer("Done."),
    ])
    const running = prompt(booted.session, promptFor(name))
    const waiting = prompt(booted.session, "waits")
    await booted.idle()
    expect(booted.session.state).toBe("requires_action")
    expect(booted.workspace.readText("/workspace/a.txt")).toBe("two")

    const child = await forked(booted)
    const events = eventsOf(child.booted.log)
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
    expect(events.filter(({ turn }) => turn === running || turn === waiting)).toEqual([])
    expect(events.filter(({ name }) => name.startsWith("ask:"))).toEqual([])
    expect(events).toHaveLength(finished + 1)
    expect(child.booted.session.state).toBe("idle")
    expect(child.booted.session.askStore.open).toEqual([])
    expect(child.booted.workspace.readText("/workspace/a.txt")).toBe("one")
    const [turn = ""] = await run(child.booted, [textAnswer("child")])
    expect(problemsOf(eventsOf(child.booted.log), [turn])).toEqual([])
  })

  it("has no message of a withdrawn prompt, and does not reuse its seqs", async () => {
    const parent = session()
    const [first, second] = [scriptName("a"), scriptName("b")]
    for (const name of [first, second]) made.api.set(name, [textAnswer(`says ${name}`)])
    prompt(parent.booted.session, promptFor(first))
    const taken = prompt(parent.booted.session, "taken back")
    prompt(parent.booted.session, promptFor(second))
    parent.booted.session.prompts.cancelQueued(taken)
    await parent.booted.idle()
    const shown = ({ session: core }: Booted) => {
      const page = messagesPage(core, core.id, { limit: 1000 })
      if (isRefusal(page)) throw new Error(page.refused.message)
      return page.messages.map(({ parts }) => parts.map((part) => ("text" in part ? part.text : part.type)))
    }
    const child = await forked(parent.booted)
    expect(shown(child.booted)).toEqual(shown(parent.booted))
    expect(JSON.stringify(shown(child.booted))).not.toContain("taken back")
    expect(shown(child.booted)).toHaveLength(4)
  })

  it("closes the gaps that queued prompts leave, also in where its head was moved to", async () => {
    const parent = session()
    const [first, second, third] = [scriptName("a"), scriptName("b"), scriptName("c")]
    for (const name of [first, second, third]) made.api.set(name, [textAnswer(`says ${name}`)])
    const one = prompt(parent.booted.session, promptFor(first))
    await parent.booted.idle()
    parent.booted.session.resumption.resume({ options: BYPASS, at: one })
    // The third waits while the second runs, so its prompt is logged before the second's result.
    prompt(parent.booted.session, promptFor(second))
    const left = prompt(parent.booted.session, promptFor(third))
    const forkExport = exporting(parent.booted)
    await parent.booted.idle()
    const all = eventsOf(parent.booted.log)
    const last = all.findLast(({ name, turn }) => name.startsWith("sdk:result") && turn !== left)
    const cut = { through: last?.seq ?? 0, tree: "" }
    const { events } = forkExport.events(cut, 0)
    const queued = all.find(({ name, turn }) => name === "turn:queued" && turn === left)
    expect(queued?.seq).toBeLessThan(cut.through)
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
    expect(events).toHaveLength(cut.through - 1)
    const moved = events.find(({ name }) => name === "head:moved")
    const target = events[(JSON.parse(moved?.json ?? "") as { to_seq: number }).to_seq - 1]
    expect(target).toMatchObject({ name: "sdk:system/init", turn: one })
    const result = events.find(({ prompt: of }) => of !== undefined)?.prompt?.result_seq ?? 0
    expect(events[result - 1]?.name).toBe("sdk:result/success")
  })
})

describe("a copy from a given message", () => {
  it("has the whole log, and its conversation continues after that message", async () => {
    const parent = session()
    await run(parent.booted, [textAnswer("one")], [textAnswer("two")])
    const [message] = eventsOf(parent.booted.log).filter(({ name }) => name === "sdk:assistant")
    const child = await forked(parent.booted, { at: message?.uuid ?? "" })
    expect(child.booted.log.lastSeq).toBe(parent.booted.log.lastSeq + 2)
    await run(child.booted, [textAnswer("three")])
    expect(lastRequest().messages).toHaveLength(3)
    expect(JSON.stringify(lastRequest().messages)).not.toContain("two")
    expect(child.booted.session.cost().requests).toBe(3)
  })

  it("is refused when the parent has no such message, or only in a turn that is open", async () => {
    const parent = session()
    await run(parent.booted, [textAnswer("one")])
    for (const at of [crypto.randomUUID(), "no uuid", eventsOf(parent.booted.log).at(-1)?.uuid ?? ""]) {
      expect(await fork(parent.booted, { at })).toMatchObject({ refused: { type: "not_found_error" } })
    }
    const message = expect.stringContaining("Send its uuid, which GET …/messages has as info.sdk.uuid")
    expect(await fork(parent.booted, { at: "msg_1" })).toMatchObject({ refused: { message } })
  })
})

describe("a copy of a session with media", () => {
  const picture = png(1_600_001)
  const bytesIn = ({ twin }: SessionHarness) =>
    twin.sql.exec<{ bytes: number }>("SELECT SUM(LENGTH(data)) AS bytes FROM blobs").toArray()[0]?.bytes
  const whole = ({ log }: Booted) =>
    eventsOf(log).map((event) => ({ ...event, payload: log.media.wholeValue(event.payload) }))

  const pictured = async () => {
    const parent = session()
    parent.booted.workspace.writeBytes("/workspace/a.png", picture)
    const reads = { content: [call("Read", { file_path: "/workspace/a.png" })] }
    await run(parent.booted, [reads, textAnswer("Seen.")])
    return parent
  }

  it("stores them once as well, in pages within the limit, and sends them to the model", async () => {
    const parent = await pictured()
    const child = await forked(parent.booted)
    expect(bytesIn(child.harness)).toBe(picture.length)
    expect(Math.max(...child.sizes)).toBeLessThan(PAGE)
    const copied = whole(child.booted).slice(0, child.through)
    const given = whole(parent.booted).slice(0, child.through)
    expect(JSON.stringify(copied).replaceAll(CHILD, SESSION_ID)).toBe(JSON.stringify(given))
    await run(child.booted, [textAnswer("Seen too.")])
    expect(JSON.stringify(lastRequest())).toContain(picture.toString("base64"))
  })

  it("stores them once when its parent's rows, of an earlier version, contain them inline", async () => {
    const parent = await pictured()
    const given = whole(parent.booted)
    const { sql } = parent.harness.twin
    const blobs = new Blobs(sql)
    for (const { seq, payload } of given) {
      const json = JSON.stringify(payload)
      const long = json.length > 256 * 1024
      const text = long ? blobs.putBlob(Buffer.from(json)) : json
      sql.exec("UPDATE events SET stored = ?, json = ? WHERE seq = ?", long ? 1 : 0, text, seq)
    }
    const child = await forked(parent.booted)
    expect(bytesIn(child.harness)).toBe(picture.length)
    const copied = whole(child.booted).slice(0, child.through)
    expect(JSON.stringify(copied).replaceAll(CHILD, SESSION_ID)).toBe(JSON.stringify(given.slice(0, child.through)))
  })
})

describe("a copy that is interrupted", () => {
  it("leaves no session, wherever it is interrupted, and the next attempt is complete", async () => {
    const parent = session()
    await run(parent.booted, [{ content: [write("/workspace/a.txt", "alpha")] }, textAnswer("Done.")])
    const started = exporting(parent.booted).start(undefined)
    if (isRefusal(started)) throw new Error("refused")
    let cuts = 0
    for (let left = 0; ; left += 1) {
      const { twin } = harnessed()
      new Meta(twin.sql).delete("session")
      let room = left
      const transactionSync: typeof twin.transactionSync = (work) => {
        if (room === 0) throw new Error("the process has died")
        room -= 1
        return twin.transactionSync(work)
      }
      const source = sourceOf(exporting(parent.booted))
      const deps = { sql: twin.sql, transactionSync, now: () => 0, tenant: "test", id: CHILD, source }
      const whole = await importFork(deps, PARENT, started).then(
        () => true,
        () => false,
      )
      const meta = new Meta(twin.sql)
      expect(meta.get("session")).toBeUndefined()
      expect(meta.get("forking") !== undefined).toBe(left > 0)
      if (whole) break
      cuts += 1
    }
    expect(cuts).toBeGreaterThanOrEqual(4)
    const child = await forked(parent.booted)
    expect(new Meta(child.harness.twin.sql).get("forking")).toBeUndefined()
    expect(eventsOf(child.booted.log).flatMap(blocksOf).length).toBeGreaterThan(0)
  })
})
