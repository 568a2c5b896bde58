// Client sockets close with their credentials: when the object checks them, which it closes, and which never wake it.
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { type Actor, ROLES } from "../../../src/schemas/access.ts"
import { readAttachment } from "../../../src/session/feed/listener.ts"
import { SocketWatch } from "../../../src/session/access/socket-watch.ts"
import { insertApiKey } from "../../../src/store/api-keys.ts"
import { FakeSocket } from "../../support/session/session-client.ts"
import { SqliteD1 } from "../../support/session/sqlite-d1.ts"

const MINUTE = 60_000
const KEYS = ["a".repeat(16), "b".repeat(16)] as const

const setUp = async () => {
  const database = new SqliteD1()
  for (const id of KEYS) {
    const key = { id, tenant: "acme", hash: id, label: null, scopes: [], createdAt: 0, expiresAt: null }
    await Effect.runPromise(insertApiKey(database.d1, key))
  }
  database.calls = 0
  const clock = { now: 0, alarm: Number.POSITIVE_INFINITY }
  const armed: Array<number> = []
  const sockets: Array<WebSocket> = []
  let work: Promise<void> = Promise.resolve()
  const watch = new SocketWatch({
    db: database.d1,
    alarm: {
      arm: (at) => {
        armed.push(at)
        clock.alarm = Math.min(clock.alarm, at)
      },
    },
    sockets: () => sockets,
    keepAlive: (next) => void (work = next),
    now: () => clock.now,
    listeners: { renew: (socket, actor) => socket.serializeAttachment({ ...readAttachment(socket), actor }) },
  })
  const open = (change: Partial<Actor> = {}, form: "plain" | "feed" = "plain") => {
    const actor: Actor = {
      key: KEYS[0],
      roles: ROLES,
      bypass: false,
      files: true,
      generation: 0,
      expires: null,
      checked: clock.now,
      ...change,
    }
    const socket = new FakeSocket(() => undefined)
    socket.serializeAttachment({ turn: null, partials: "turn", client: "c", form, actor })
    // The watch uses these members of a socket and no others.
    sockets.push(socket as unknown as WebSocket)
    if (form === "plain") watch.opened(actor)
    return {
      isOpen: () => socket.readyState === WebSocket.OPEN,
      actor: () => readAttachment(socket as unknown as WebSocket).actor,
    }
  }
  /** The object's alarms until `at`, each at its time. */
  const passUntil = async (at: number) => {
    while (clock.alarm <= at) {
      clock.now = clock.alarm
      clock.alarm = Number.POSITIVE_INFINITY
      watch.onAlarm()
      await work
    }
    clock.now = at
  }
  return { database, clock, armed, watch, open, passUntil, sql: (text: string) => database.sqlite.exec(text) }
}

describe("a client's socket", () => {
  it("passes a newer version of the tenant's stored definitions to its session within a minute, without another D1 read", async () => {
    const { database, open, passUntil, sql } = await setUp()
    const socket = open()
    await passUntil(MINUTE)
    expect(socket.actor()).not.toHaveProperty("definitions", 7)
    sql("INSERT INTO definition_versions (tenant, version) VALUES ('acme', 7)")
    database.calls = 0
    await passUntil(2 * MINUTE)
    expect(socket.actor()).toMatchObject({ definitions: 7, key: KEYS[0] })
    expect(database.calls).toBeLessThanOrEqual(2)
  })

  it.each([
    ["revoked", "UPDATE api_keys SET revoked_at = 1"],
    ["rolled", "UPDATE api_keys SET generation = 1"],
    ["removed", "DELETE FROM api_keys"],
    ["given an end that has passed", "UPDATE api_keys SET expires_at = 1"],
  ])("is closed within a minute of its key being %s; another key's stays", async (_, change) => {
    const { open, passUntil, sql } = await setUp()
    const [mine, other] = [open(), open({ key: KEYS[1] })]
    await passUntil(10 * MINUTE)
    expect([mine.isOpen(), other.isOpen()]).toEqual([true, true])
    sql(`${change} WHERE id = '${KEYS[0]}'`)
    await passUntil(11 * MINUTE)
    expect([mine.isOpen(), other.isOpen()]).toEqual([false, true])
  })

  it("whose key was looked up by this Worker a while ago is checked that much sooner", async () => {
    const { open, passUntil, sql } = await setUp()
    await passUntil(MINUTE)
    sql("UPDATE api_keys SET revoked_at = 1")
    const socket = open({ checked: MINUTE - 40_000 })
    await passUntil(MINUTE + 10_000)
    expect(socket.isOpen()).toBe(false)
  })

  it("is closed when its ticket or key expires, without a D1 read", async () => {
    const { database, open, passUntil } = await setUp()
    const socket = open({ key: "root", ticket: "t", expires: 5 * MINUTE })
    await passUntil(5 * MINUTE - 1)
    expect(socket.isOpen()).toBe(true)
    await passUntil(5 * MINUTE)
    expect(socket.isOpen()).toBe(false)
    expect(database.calls).toBe(0)
  })

  it("that never ends, or was the last one, leaves no alarm behind", async () => {
    const { armed, watch, open, passUntil } = await setUp()
    open({ key: "root", ticket: "t", expires: MINUTE })
    await passUntil(MINUTE)
    open({ key: "root" })
    // Something else of the session has armed this one.
    watch.onAlarm()
    expect(armed).toEqual([MINUTE])
  })

  it("with a rolled key's old secret stays open until the overlap ends", async () => {
    const { open, passUntil, sql } = await setUp()
    const socket = open()
    sql(`UPDATE api_keys SET generation = 1, previous_until = ${5 * MINUTE}`)
    await passUntil(5 * MINUTE - 1)
    expect(socket.isOpen()).toBe(true)
    await passUntil(6 * MINUTE)
    expect(socket.isOpen()).toBe(false)
  })

  it("survives a failure of D1, and is closed once D1 answers", async () => {
    const { database, clock, open, passUntil, sql } = await setUp()
    const socket = open()
    sql("ALTER TABLE api_keys RENAME TO gone")
    await passUntil(2 * MINUTE)
    expect(socket.isOpen()).toBe(true)
    sql("ALTER TABLE gone RENAME TO api_keys; UPDATE api_keys SET revoked_at = 1")
    await passUntil(2 * MINUTE + 5_000)
    expect([socket.isOpen(), database.calls > 0]).toEqual([false, true])
    await passUntil(3 * MINUTE)
    expect(clock.alarm).toBe(Number.POSITIVE_INFINITY)
  })
})

describe("the object", () => {
  it("is not woken for sockets of the root key or feeds of the Worker", async () => {
    const { clock, open } = await setUp()
    open({ key: "root" })
    open({}, "feed")
    expect(clock.alarm).toBe(Number.POSITIVE_INFINITY)
  })

  it("checks at most once a minute for any number of sockets, and stops when they have closed", async () => {
    const { database, open, passUntil, clock } = await setUp()
    for (let count = 0; count < 50; count += 1) open({ key: KEYS[count % 2]! })
    await passUntil(10 * MINUTE)
    expect(database.calls).toBeLessThanOrEqual(14)
    database.sqlite.exec("UPDATE api_keys SET revoked_at = 1")
    await passUntil(11 * MINUTE)
    expect(clock.alarm).toBe(Number.POSITIVE_INFINITY)
  })
})
