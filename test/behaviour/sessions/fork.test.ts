// A session that is forked between turns: what the copy contains, and what stays with the parent.
import { rebuiltRows } from "../outages/rebuilt-rows.ts"
import { describe, expect, it } from "vitest"
import type { LogEvent } from "../../../src/schemas/log/events.ts"
import { Meta } from "../../../src/session/storage/meta.ts"
import { call, text, textAnswer } from "../../support/session/scripts.ts"
import { type Booted, eventsOf, problemsOf } from "../../support/session/session-harness.ts"
import { newEvent } from "../../support/session/log-event.ts"
import { CHILD, forks, PAGE, PARENT } from "./forks.ts"

const made = forks()
const { session, run, forked, lastRequest } = made

const withoutPayload = ({ payload: _, ...event }: LogEvent) => event
const starts = (log: Booted["log"]) =>
  eventsOf(log)
    .filter((event) => (event.payload as { hook_event_name?: string }).hook_event_name === "SessionStart")
    .map((event) => (event.payload as { input: { source: string } }).input.source)

const write = (path: string, content: string) => call("Write", { file_path: path, content })

describe("a copy of a session between turns", () => {
  it("has every event of the parent at the same seq, with its own session_id, and is marked as a copy", async () => {
    const parent = session()
    await run(parent.booted, [
      { content: [text("I write."), write("/workspace/a.txt", "alpha\n")] },
      textAnswer("Done."),
    ])
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

  it("has its parent's snapshot of the settings files, unless it sets their sources", async () => {
    const parent = session()
    const { session: core } = parent.booted
    const allowing = (...allow: ReadonlyArray<string>) =>
      core.workspace.writeBytes("/workspace/.claude/settings.json", JSON.stringify({ permissions: { allow } }))
    core.changes.setOptions({ settingSources: ["project"] })
    allowing("Bash(touch:*)")
    await run(parent.booted, [textAnswer("first answer")])
    allowing("Bash(touch:*)", "Bash(rm:*)")
    const allowed = ({ session: child }: Booted) =>
      child.permissions.policy().rules.allow.filter(({ source }) => source === "projectSettings")
    const child = await forked(parent.booted)
    expect(allowed(child.booted)).toHaveLength(1)
    const other = await forked(parent.booted, { options: { settingSources: ["project"] } })
    expect(allowed(other.booted)).toHaveLength(2)
  })

  it("continues the whole conversation and its cost, independently of the parent", async () => {
    const parent = session()
    await run(parent.booted, [textAnswer("first answer")])
    const child = await forked(parent.booted)
    const [turn] = await run(child.booted, [textAnswer("second answer")])
    expect(lastRequest().messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"])
    expect(problemsOf(eventsOf(child.booted.log), [turn ?? ""])).toEqual([])
    const result = eventsOf(child.booted.log).findLast(({ name }) => name.startsWith("sdk:result"))
    expect(result?.payload).toMatchObject({ result: "second answer", result_index: 0, session_id: CHILD })
    expect(child.booted.session.cost().requests).toBe(2)
    await run(parent.booted, [textAnswer("another answer")])
    expect(lastRequest().messages).toHaveLength(3)
    expect(parent.booted.session.cost().requests).toBe(2)
  })

  it("has the parent's task list, which each then changes independently, and none of its asks", async () => {
    const parent = session()
    const create = (subject: string) => ({ content: [call("TaskCreate", { subject, description: "-" })] })
    const named = ({ booted }: { booted: Booted }) => booted.session.todos().map(({ content }) => content)
    await run(parent.booted, [create("one"), textAnswer("Done.")])
    const child = await forked(parent.booted)
    expect(child.booted.session.askStore.open).toEqual([])
    await run(child.booted, [create("two"), textAnswer("Done.")])
    await run(parent.booted, [create("other"), textAnswer("Done.")])
    expect([named(parent), named(child)]).toEqual([
      ["one", "other"],
      ["one", "two"],
    ])
  })

  it("starts in the directory that the parent was in when it was copied", async () => {
    const parent = session()
    const bash = (command: string) => ({ content: [call("Bash", { command })] })
    await run(parent.booted, [bash("mkdir -p sub/deep; cd sub"), textAnswer("one")])
    const at = eventsOf(parent.booted.log).findLast(({ name }) => name === "sdk:assistant")?.uuid ?? ""
    await run(parent.booted, [bash("cd deep"), textAnswer("two")])
    const children = [await forked(parent.booted), await forked(parent.booted, { at })]
    expect(children.map(({ booted }) => booted.session.cwd)).toEqual(["/workspace/sub/deep", "/workspace/sub"])
  })

  it("starts with SessionStart from resume, once, also over a restart", async () => {
    const parent = session()
    await run(parent.booted, [textAnswer("one")])
    const child = await forked(parent.booted)
    child.harness.crash()
    const again = child.harness.boot()
    await run(again, [textAnswer("two")], [textAnswer("three")])
    child.harness.crash()
    const last = child.harness.boot()
    await run(last, [textAnswer("four")])
    expect(starts(last.log)).toEqual(["startup", "resume"])
  })

  it("has the files with their modes, times, links and empty directories, and no checkpoint of the parent", async () => {
    const parent = session()
    const { workspace } = parent.booted
    const [turn] = await run(parent.booted, [
      { content: [write("/workspace/dir/a.txt", "alpha\n")] },
      textAnswer("Done."),
    ])
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

  it("is transferred in pages of at most 4 MiB, except that a single payload may be larger", async () => {
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

  it("is a snapshot of one moment, whatever the parent does meanwhile", async () => {
    const parent = session()
    await run(parent.booted, [{ content: [write("/workspace/a.txt", "before")] }, textAnswer("Done.")])
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

  it("sends D1 and the Queue nothing that they have from the parent", async () => {
    const parent = session()
    await run(parent.booted, [textAnswer("one")])
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

  it("includes the parent's cost, as the SDK does; its rows in D1 have only its own requests", async () => {
    const parent = session()
    await run(parent.booted, [textAnswer("first answer")])
    const { total_cost_usd: spent } = parent.booted.session.cost()
    const child = await forked(parent.booted)
    expect(child.booted.session.cost().total_cost_usd).toBe(spent)
    await run(child.booted, [textAnswer("second answer")])
    const { before } = await rebuiltRows(child.harness, child.booted)
    const own = before.costs.reduce((sum, { usd }) => sum + Number(usd), 0)
    expect(own).toBeGreaterThan(0)
    const result = eventsOf(child.booted.log).findLast(({ name }) => name.startsWith("sdk:result"))
    expect(result?.payload).toMatchObject({ total_cost_usd: expect.closeTo(spent + own, 10) })
    expect(child.booted.session.cost().total_cost_usd).toBeCloseTo(spent + own, 10)
  })

  it("has rows of its own in D1, and the same again when they are rebuilt", async () => {
    const parent = session()
    await run(parent.booted, [
      { content: [text("I write."), write("/workspace/a.txt", "alpha\n")] },
      textAnswer("Done."),
    ])
    const child = await forked(parent.booted)
    await run(child.booted, [{ content: [text("I too."), write("/workspace/b.txt", "beta\n")] }, textAnswer("Done.")])
    const { before, after, counts } = await rebuiltRows(child.harness, child.booted)
    expect(after).toEqual(before)
    expect(counts).toMatchObject({ sessions: 1, costs: 2 })
    const last = eventsOf(parent.booted.log).length
    for (const { seq } of [...before.hook_events, ...before.costs]) expect(Number(seq)).toBeGreaterThan(last)
  })

  it("has options merged with the parent's, or instead of them, and no permission that came from the parent's client", async () => {
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

  it("knows the parent's prompts: a repeated one is the same turn", async () => {
    const parent = session()
    const [turn = ""] = await run(parent.booted, [textAnswer("one")])
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
