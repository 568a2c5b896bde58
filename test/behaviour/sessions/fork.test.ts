// A session that is copied from another: what the copy holds, what is left behind, and that it is whole or not there.
import { rebuiltRows } from "../outages/rebuilt-rows.ts"
import { serialize } from "node:v8"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import type { LogEvent } from "../../../src/schemas/log/events.ts"
import type { RpcResult } from "../../../src/schemas/errors/rpc-error.ts"
import type { ForkArgs } from "../../../src/schemas/rpc/fork.ts"
import { ForkExport } from "../../../src/session/fork/fork-export.ts"
import { finishFork, forkedRecord, type ForkSource, importFork } from "../../../src/session/fork/fork-import.ts"
import { Meta } from "../../../src/session/storage/meta.ts"
import { isRefusal } from "../../../src/session/refusal.ts"
import { Blobs } from "../../../src/workspace/blobs.ts"
import { png } from "../../support/values/images.ts"
import { createFakeApi, type ScriptedApi } from "../../support/session/scripted-api.mjs"
import { call, promptFor, scriptName, text } from "../../support/session/scripts.ts"
import {
  blocksOf,
  type Booted,
  eventsOf,
  problemsOf,
  prompt,
  SESSION_ID,
  SessionHarness,
} from "../../support/session/session-harness.ts"
import { newEvent } from "../../support/session/log-event.ts"

const PAGE = 4 * 1024 * 1024
const CHILD = "0199a000-0000-7000-8000-00000000c41d"
const PARENT = "0199a000-0000-7000-8000-00000000abcd"
const BYPASS = { permissionMode: "bypassPermissions" } as const

let api: ScriptedApi
const open: Array<SessionHarness> = []

beforeAll(async () => {
  api = await createFakeApi()
})
afterEach(async () => {
  for (const harness of open.splice(0)) await harness.dispose()
})
afterAll(() => api.close())

const harnessed = (): SessionHarness => {
  const harness = new SessionHarness(api.url, BYPASS)
  open.push(harness)
  return harness
}

const session = () => {
  const harness = harnessed()
  return { harness, booted: harness.boot() }
}

/** Runs prompts against their scripts, one after the other. */
const run = async (
  booted: Booted,
  ...turns: ReadonlyArray<Parameters<ScriptedApi["set"]>[1]>
): Promise<Array<string>> => {
  const ids: Array<string> = []
  for (const script of turns) {
    const name = scriptName("fork")
    api.set(name, script)
    ids.push(prompt(booted.session, promptFor(name)))
    await booted.idle()
  }
  return ids
}

const exporting = ({ session }: Booted) => new ForkExport(session)

interface Pages extends ForkSource {
  readonly sizes: Array<number>
}

/** The parent as the child's stub has it: answers are copies, and none is above a page. */
const sourceOf = (forkExport: ForkExport, between: () => void = () => undefined): Pages => {
  const sizes: Array<number> = []
  const answer = async <A>(value: A): Promise<RpcResult<A>> => {
    sizes.push(serialize(value).byteLength)
    const copy = structuredClone(value)
    between()
    return { ok: true, value: copy }
  }
  return {
    sizes,
    exportLog: ({ cut, after }) => answer(forkExport.events(cut, after)),
    exportFiles: ({ cut, after }) => answer(forkExport.files(cut, after)),
    exportBlobs: ({ hashes, from }) => answer(forkExport.blobs(hashes, from)),
  }
}

const ARGS: ForkArgs = { parent: PARENT, options: {}, merge: true }

/** What the child's object does. */
const fork = async (booted: Booted, args: Partial<ForkArgs> = {}, between?: () => void) => {
  const forkExport = exporting(booted)
  const started = forkExport.start(args.at)
  if (isRefusal(started)) return started
  const source = sourceOf(forkExport, between)
  const harness = harnessed()
  const { sql, transactionSync } = harness.twin
  const deps = { sql, transactionSync, now: () => Date.now(), tenant: "test", id: CHILD, source }
  await importFork(deps, PARENT, started)
  finishFork(sql, forkedRecord(deps, started, { ...ARGS, ...args }))
  const child = harness.boot()
  child.session.resumption.beginFork(PARENT, started.head)
  return { harness, booted: child, sizes: source.sizes, through: started.cut.through }
}

const forked = async (...args: Parameters<typeof fork>) => {
  const result = await fork(...args)
  if (isRefusal(result)) throw new Error(result.refused.message)
  return result
}

const withoutPayload = ({ payload: _, ...event }: LogEvent) => event
const lastRequest = () =>
  api.log.at(-1)?.body as { readonly messages: ReadonlyArray<{ role: string; content: unknown }> }
const starts = (log: Booted["log"]) =>
  eventsOf(log)
    .filter((event) => (event.payload as { hook_event_name?: string }).hook_event_name === "SessionStart")
    .map((event) => (event.payload as { input: { source: string } }).input.source)

const write = (path: string, content: string) => call("Write", { file_path: path, content })
const says = (words: string) => ({ content: [text(words)] })

describe("a copy of a session between turns", () => {
  it("has every event of the parent at its place, with its own session_id, and is marked as a copy", async () => {
    const parent = session()
    await run(parent.booted, [{ content: [text("I write."), write("/workspace/a.txt", "alpha\n")] }, says("Done.")])
    const before = eventsOf(parent.booted.log)
    const child = await forked(parent.booted)
    const events = eventsOf(child.booted.log)
    const copied = events.slice(0, before.length)
    expect(copied.map(withoutPayload)).toEqual(before.map(withoutPayload))
    for (const [index, event] of copied.entries()) {
      const original = before[index]?.payload as { session_id?: string }
      const own = event.name.startsWith("sdk:") ? { ...original, session_id: CHILD } : original
      expect(JSON.stringify(event.payload)).toBe(JSON.stringify(own))
    }
    expect(events.slice(before.length)).toMatchObject([
      { seq: before.length + 1, name: "session:forked", payload: { parent: PARENT, through: before.length } },
    ])
    expect(eventsOf(parent.booted.log)).toEqual(before)
  })

  it("goes on with the whole conversation and its cost, apart from the parent", async () => {
    const parent = session()
    await run(parent.booted, [says("first answer")])
    const child = await forked(parent.booted)
    const [turn] = await run(child.booted, [says("second answer")])
    expect(lastRequest().messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"])
    expect(problemsOf(eventsOf(child.booted.log), [turn ?? ""])).toEqual([])
    const result = eventsOf(child.booted.log).findLast(({ name }) => name.startsWith("sdk:result"))
    expect(result?.payload).toMatchObject({ result: "second answer", result_index: 1, session_id: CHILD })
    expect(child.booted.session.cost().requests).toBe(2)
    await run(parent.booted, [says("another answer")])
    expect(lastRequest().messages).toHaveLength(3)
    expect(parent.booted.session.cost().requests).toBe(2)
  })

  it("has the parent's task list, which each changes for itself, and none of its asks", async () => {
    const parent = session()
    const create = (subject: string) => ({ content: [call("TaskCreate", { subject, description: "-" })] })
    const named = ({ booted }: { booted: Booted }) => booted.session.todos().map(({ content }) => content)
    await run(parent.booted, [create("one"), says("Done.")])
    const child = await forked(parent.booted)
    expect(child.booted.session.askStore.open).toEqual([])
    await run(child.booted, [create("two"), says("Done.")])
    await run(parent.booted, [create("other"), says("Done.")])
    expect([named(parent), named(child)]).toEqual([
      ["one", "other"],
      ["one", "two"],
    ])
  })

  it("begins in the directory that the parent was in where it was copied", async () => {
    const parent = session()
    const bash = (command: string) => ({ content: [call("Bash", { command })] })
    await run(parent.booted, [bash("mkdir -p sub/deep; cd sub"), says("one")])
    const at = eventsOf(parent.booted.log).findLast(({ name }) => name === "sdk:assistant")?.uuid ?? ""
    await run(parent.booted, [bash("cd deep"), says("two")])
    const children = [await forked(parent.booted), await forked(parent.booted, { at })]
    expect(children.map(({ booted }) => booted.session.cwd)).toEqual(["/workspace/sub/deep", "/workspace/sub"])
  })

  it("begins with SessionStart from resume, once, also over a restart", async () => {
    const parent = session()
    await run(parent.booted, [says("one")])
    const child = await forked(parent.booted)
    child.harness.crash()
    const again = child.harness.boot()
    await run(again, [says("two")], [says("three")])
    child.harness.crash()
    const last = child.harness.boot()
    await run(last, [says("four")])
    expect(starts(last.log)).toEqual(["startup", "resume"])
  })

  it("has the files with their modes, times, links and empty directories, and no checkpoint of the parent", async () => {
    const parent = session()
    const { workspace } = parent.booted
    const [turn] = await run(parent.booted, [{ content: [write("/workspace/dir/a.txt", "alpha\n")] }, says("Done.")])
    const large = new Uint8Array(5_000_000).map((_, index) => index % 251)
    workspace.writeBytes("/workspace/large.bin", large)
    workspace.writeBytes("/workspace/empty.txt", "")
    workspace.writeBytes("/workspace/twin.bin", large)
    workspace.mkdir("/workspace/nothing-in-it")
    workspace.symlink("../dir/a.txt", "/workspace/nothing-in-it/link")
    workspace.remove("/workspace/nothing-in-it/link")
    workspace.symlink("dir/a.txt", "/workspace/link")
    workspace.chmod("/workspace/dir/a.txt", 0o700)
    workspace.utimes("/workspace/dir/a.txt", 1_600_000_000_000)
    const list = (of: typeof workspace) => of.list("/", null, 1000).files
    const child = await forked(parent.booted)
    expect(list(child.booted.workspace)).toEqual(list(workspace))
    expect(Buffer.from(child.booted.workspace.readBytes("/workspace/twin.bin")).equals(Buffer.from(large))).toBe(true)
    expect(child.booted.workspace.readText("/workspace/link")).toBe("alpha\n")
    expect(child.booted.workspace.rewind(turn ?? "").canRewind).toBe(false)
    child.booted.workspace.writeBytes("/workspace/dir/a.txt", "changed")
    expect(workspace.readText("/workspace/dir/a.txt")).toBe("alpha\n")
  })

  it("takes pages of at most 4 MiB, though one payload alone is larger", async () => {
    const parent = session()
    const payloads = ["é".repeat(2_500_000), ...Array.from({ length: 12 }, (_, index) => `${index}`.repeat(600_000))]
    parent.booted.session.append(payloads.map((content) => newEvent("tool:called", { content })))
    for (let index = 0; index < 40; index += 1) {
      parent.booted.workspace.writeBytes(`/workspace/${index}.bin`, new Uint8Array(300_000).fill(index))
    }
    const child = await forked(parent.booted)
    expect(Math.max(...child.sizes)).toBeLessThanOrEqual(PAGE)
    expect(child.sizes.length).toBeGreaterThan(6)
    const contents = eventsOf(child.booted.log).filter(({ name }) => name === "tool:called")
    expect(contents.map(({ payload }) => (payload as { content: string }).content)).toEqual(payloads)
    expect(child.booted.workspace.totals()).toEqual(parent.booted.workspace.totals())
  })

  it("is of one moment, whatever the parent does meanwhile", async () => {
    const parent = session()
    await run(parent.booted, [{ content: [write("/workspace/a.txt", "before")] }, says("Done.")])
    const before = eventsOf(parent.booted.log).length
    let changes = 0
    const child = await forked(parent.booted, {}, () => {
      changes += 1
      parent.booted.workspace.writeBytes("/workspace/a.txt", `after ${changes}`)
      parent.booted.workspace.writeBytes(`/workspace/new-${changes}.txt`, "new")
      parent.booted.session.changes.patch({ title: `title ${changes}` })
    })
    expect(changes).toBeGreaterThanOrEqual(3)
    expect(child.through).toBe(before)
    expect(child.booted.workspace.readText("/workspace/a.txt")).toBe("before")
    expect(child.booted.workspace.list("/workspace", null, 100).files.map(({ path }) => path)).toEqual([
      "/workspace/a.txt",
    ])
  })

  it("sends D1 and the Queue nothing of what they have from the parent", async () => {
    const parent = session()
    await run(parent.booted, [says("one")])
    const { length } = eventsOf(parent.booted.log)
    const child = await forked(parent.booted)
    expect(new Meta(child.harness.twin.sql).get("outbox")).toEqual({
      d1_seq: length,
      queue_seq: length,
      stored_seq: length,
    })
    expect(child.booted.log.lastSeq).toBeGreaterThan(length)
    expect(child.booted.session.inbox.firstOpenAt(length)).toBeNull()
  })

  it("counts what the parent had cost, as the SDK does; its rows in D1 have its own requests alone", async () => {
    const parent = session()
    await run(parent.booted, [says("first answer")])
    const { total_cost_usd: spent } = parent.booted.session.cost()
    const child = await forked(parent.booted)
    expect(child.booted.session.cost().total_cost_usd).toBe(spent)
    await run(child.booted, [says("second answer")])
    const { before } = await rebuiltRows(child.harness, child.booted)
    const own = before.costs.reduce((sum, { usd }) => sum + Number(usd), 0)
    expect(own).toBeGreaterThan(0)
    const result = eventsOf(child.booted.log).findLast(({ name }) => name.startsWith("sdk:result"))
    expect(result?.payload).toMatchObject({ total_cost_usd: expect.closeTo(spent + own, 10) })
    expect(child.booted.session.cost().total_cost_usd).toBeCloseTo(spent + own, 10)
  })

  it("has rows of its own in D1, and the same again when they are rebuilt", async () => {
    const parent = session()
    await run(parent.booted, [{ content: [text("I write."), write("/workspace/a.txt", "alpha\n")] }, says("Done.")])
    const child = await forked(parent.booted)
    await run(child.booted, [{ content: [text("I too."), write("/workspace/b.txt", "beta\n")] }, says("Done.")])
    const { before, after, counts } = await rebuiltRows(child.harness, child.booted)
    expect(after).toEqual(before)
    expect(counts).toMatchObject({ sessions: 1, costs: 2 })
    const last = eventsOf(parent.booted.log).length
    for (const { seq } of [...before.hook_events, ...before.costs]) expect(Number(seq)).toBeGreaterThan(last)
  })

  it("has options over the parent's, or instead of them, and no permission that was the parent's client's own", async () => {
    const parent = session()
    parent.booted.session.permissions.setMode("plan")
    const merged = await forked(parent.booted, { options: { maxTurns: 3 }, title: "Copy" })
    expect(merged.booted.session.record).toMatchObject({
      id: CHILD,
      title: "Copy",
      options: { permissionMode: "bypassPermissions", maxTurns: 3 },
      permission_updates: [],
    })
    const replaced = await forked(parent.booted, { options: { maxTurns: 3 }, merge: false })
    expect(replaced.booted.session.record.options).toEqual({ maxTurns: 3 })
  })

  it("knows the parent's prompts: one that is sent again is the same turn", async () => {
    const parent = session()
    const [turn = ""] = await run(parent.booted, [says("one")])
    const child = await forked(parent.booted)
    const known = parent.booted.session.inbox.find(turn)
    expect(child.booted.session.inbox.find(turn)).toEqual(known)
    expect(child.booted.session.turns.status(turn)).toMatchObject({
      status: "completed",
      result: { session_id: CHILD },
    })
    const { session_id: _, result: __, ...parents } = parent.booted.session.turns.info(turn)!
    expect(child.booted.session.turns.info(turn)).toMatchObject({ ...parents, session_id: CHILD })
  })
})

describe("a copy of a session in the middle of a turn", () => {
  it("ends with the last finished turn: no open turn, no waiting prompt, no question, and the files of then", async () => {
    const harness = harnessed()
    new Meta(harness.twin.sql).set("session", {
      ...(new Meta(harness.twin.sql).get("session") as never as object),
      options: { permissionMode: "acceptEdits", settings: { permissions: { ask: ["Bash"] } } },
    } as never)
    const booted = harness.boot()
    await run(booted, [{ content: [write("/workspace/a.txt", "one")] }, says("Done.")])
    const finished = booted.log.lastSeq
    const name = scriptName("open")
    api.set(name, [
      { content: [write("/workspace/a.txt", "two"), call("Bash", { command: "echo x", description: "Say x" })] },
      says("Done."),
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
    const [turn = ""] = await run(child.booted, [says("child")])
    expect(problemsOf(eventsOf(child.booted.log), [turn])).toEqual([])
  })

  it("closes the gaps that waiting prompts leave, also in where its head was moved to", async () => {
    const parent = session()
    const [first, second, third] = [scriptName("a"), scriptName("b"), scriptName("c")]
    for (const name of [first, second, third]) api.set(name, [says(`says ${name}`)])
    const one = prompt(parent.booted.session, promptFor(first))
    await parent.booted.idle()
    parent.booted.session.resumption.takeUp({ options: BYPASS, at: one })
    // The third waits while the second runs, so that its prompt comes before the second's result.
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

describe("a copy from a message on", () => {
  it("has the whole log, and its conversation goes on after that message", async () => {
    const parent = session()
    await run(parent.booted, [says("one")], [says("two")])
    const [message] = eventsOf(parent.booted.log).filter(({ name }) => name === "sdk:assistant")
    const child = await forked(parent.booted, { at: message?.uuid ?? "" })
    expect(child.booted.log.lastSeq).toBe(parent.booted.log.lastSeq + 2)
    await run(child.booted, [says("three")])
    expect(lastRequest().messages).toHaveLength(3)
    expect(JSON.stringify(lastRequest().messages)).not.toContain("two")
    expect(child.booted.session.cost().requests).toBe(3)
  })

  it("is refused when the parent has no such message, or only in a turn that is open", async () => {
    const parent = session()
    await run(parent.booted, [says("one")])
    for (const at of [crypto.randomUUID(), "no uuid", eventsOf(parent.booted.log).at(-1)?.uuid ?? ""]) {
      expect(await fork(parent.booted, { at })).toMatchObject({ refused: { type: "not_found_error" } })
    }
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
    await run(parent.booted, [reads, says("Seen.")])
    return parent
  }

  it("has them once as well, in pages within the bound, and the model gets them from it", async () => {
    const parent = await pictured()
    const child = await forked(parent.booted)
    expect(bytesIn(child.harness)).toBe(picture.length)
    expect(Math.max(...child.sizes)).toBeLessThan(PAGE)
    const copied = whole(child.booted).slice(0, child.through)
    const given = whole(parent.booted).slice(0, child.through)
    expect(JSON.stringify(copied).replaceAll(CHILD, SESSION_ID)).toBe(JSON.stringify(given))
    await run(child.booted, [says("Seen too.")])
    expect(JSON.stringify(lastRequest())).toContain(picture.toString("base64"))
  })

  it("has them once when its parent's rows, of an earlier version, hold them themselves", async () => {
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

describe("a copy that is cut off", () => {
  it("leaves no session, wherever it is cut off, and the next one is whole", async () => {
    const parent = session()
    await run(parent.booted, [{ content: [write("/workspace/a.txt", "alpha")] }, says("Done.")])
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
