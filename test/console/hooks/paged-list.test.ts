import { expect, test } from "vitest"
import { PagedList } from "../../../src/console/hooks/paged-list.ts"

interface Item {
  readonly id: string
}

const page = (ids: string, next_cursor: string | null) => ({ data: Array.from(ids, (id) => ({ id })), next_cursor })
const idsOf = (list: PagedList<Item>) => list.rows.value.map(({ id }) => id).join("")
const newList = () => new PagedList<Item>(String)

test("pages are consecutive, and an item is listed once", async () => {
  const list = newList()
  const pages = new Map([
    [undefined, page("dc", "2")],
    ["2", page("cba", null)],
  ])
  await list.open(async (cursor) => pages.get(cursor as "2" | undefined)!)
  expect([idsOf(list), list.cursor.value]).toEqual(["dc", "2"])
  await list.more()
  await list.more()
  expect([idsOf(list), list.cursor.value]).toEqual(["dcba", null])
})

test("after an error the rows stay, and the same page is read again", async () => {
  const list = newList()
  const asked: Array<string | undefined> = []
  await list.open(async (cursor) => {
    asked.push(cursor)
    if (asked.length === 2) throw "It broke. Try again."
    return page(cursor === undefined ? "b" : "a", cursor === undefined ? "next" : null)
  })
  await list.more()
  expect([list.error.value, idsOf(list), list.isLoading.value]).toEqual(["It broke. Try again.", "b", false])
  await list.more()
  expect([list.error.value, idsOf(list)]).toEqual([null, "ba"])
  expect(asked).toEqual([undefined, "next", "next"])
})

test("a first page that failed is read again by more and by refresh", async () => {
  const list = newList()
  let attempts = 0
  await list.open(async () => {
    attempts += 1
    if (attempts < 2) throw "no"
    return page("a", null)
  })
  expect(list.error.value).toBe("no")
  await list.refresh()
  expect([list.error.value, idsOf(list)]).toEqual([null, "a"])
})

test("refresh inserts new items first, and keeps older pages and their position", async () => {
  const list = newList()
  let newest = "cb"
  await list.open(async (cursor) => (cursor === undefined ? page(newest, "2") : page("a", null)))
  await list.more()
  newest = "dc"
  await list.refresh()
  expect([idsOf(list), list.cursor.value]).toEqual(["dcba", null])
})

test("after a refresh no item is missing, however many are new", async () => {
  const list = newList()
  const pages = new Map([
    [undefined, page("ba", null)],
    ["2", page("cb", "4")],
  ])
  await list.open(async (cursor) => pages.get(cursor as "2" | undefined)!)
  pages.set(undefined, page("ed", "2"))
  await list.refresh()
  expect([idsOf(list), list.cursor.value]).toEqual(["ed", "2"])
  await list.more()
  expect([idsOf(list), list.cursor.value]).toEqual(["edcb", "4"])
})

test("refresh removes items that the query no longer finds", async () => {
  const list = newList()
  const pages = [page("dc", "2"), page("ba", "3"), page("db", "4"), page("d", null)]
  await list.open(async () => pages.shift()!)
  await list.more()
  await list.refresh()
  // Items older than the page may still exist.
  expect([idsOf(list), list.cursor.value]).toEqual(["dba", "3"])
  await list.refresh()
  expect([idsOf(list), list.cursor.value]).toEqual(["d", null])
})

test("a late answer to an older query changes nothing", async () => {
  const list = newList()
  const late = Promise.withResolvers<ReturnType<typeof page>>()
  const first = list.open(() => late.promise)
  await list.open(async () => page("b", null))
  late.resolve(page("a", "x"))
  await first
  expect([idsOf(list), list.cursor.value, list.isLoading.value]).toEqual(["b", null, false])
})

test("replace changes one row in its place", async () => {
  const list = new PagedList<Item & { readonly text?: string }>(String)
  await list.open(async () => page("ba", null))
  list.replace({ id: "b", text: "new" })
  expect(list.rows.value).toEqual([{ id: "b", text: "new" }, { id: "a" }])
})

test("a page that was requested before an item was replaced keeps the replaced item", async () => {
  const list = new PagedList<Item & { readonly state: string }>(String)
  const answers = [Promise.withResolvers<string>(), Promise.withResolvers<string>()]
  let reads = 0
  const opened = list.open(async () => {
    const state = (await answers[reads++]?.promise) ?? "read later"
    return { data: [{ id: "a", state }], next_cursor: null }
  })
  answers[0]?.resolve("failed")
  await opened
  const refreshed = list.refresh()
  list.replace({ id: "a", state: "pending" })
  answers[1]?.resolve("failed")
  await refreshed
  expect(list.rows.value[0]?.state).toBe("pending")
  await list.refresh()
  expect(list.rows.value[0]?.state).toBe("read later")
})
