// The list of sessions: its pages, and what a refresh does to them.
import { expect, test } from "vitest"
import type { Page, Session } from "../../../src/client/api/session-shapes.ts"
import { SessionList } from "../../../src/console/app/session-list.ts"

const SIZE = 2

/** A server whose sessions are numbered by age; its pages contain two. */
const serverOf = (count: number) => {
  const titles = new Map(Array.from({ length: count }, (_, index) => [index, `one ${index}`]))
  const requests: Array<string | undefined> = []
  const page = (cursor: string | undefined): Page<Session> => {
    const before = cursor === undefined ? Number.POSITIVE_INFINITY : Number(cursor)
    const found = [...titles].filter(([index]) => index < before).toSorted(([one], [other]) => other - one)
    const data = found.slice(0, SIZE).map(([index, title]) => ({
      id: `id-${index}`,
      title,
      created_at: new Date(index).toISOString(),
    })) as ReadonlyArray<Partial<Session>> as ReadonlyArray<Session> // the list reads no other fields
    return { data, next_cursor: found.length > SIZE ? String(found[SIZE - 1]?.[0]) : null }
  }
  const list = new SessionList(
    {
      json: async <A>(
        _method: string,
        _path: string,
        more?: { readonly query?: Readonly<Record<string, unknown>> },
      ) => {
        const cursor = more?.query?.["cursor"] as string | undefined // the list passes its cursor
        requests.push(cursor)
        return page(cursor) as A // the list asks for nothing else
      },
    },
    String,
  )
  return { list, titles, requests }
}

const titlesOf = ({ sessions }: SessionList) => sessions.value.map(({ title }) => title)

test("refreshes read the newest page and, in turn, each older page that was loaded", async () => {
  const { list, titles, requests } = serverOf(7)
  await list.refresh()
  await list.more()
  await list.more()
  expect(titlesOf(list)).toEqual(["one 6", "one 5", "one 4", "one 3", "one 2", "one 1"])
  titles.set(4, "changed")
  titles.delete(1)
  requests.length = 0
  await list.refresh()
  expect(titlesOf(list)).toEqual(["one 6", "one 5", "changed", "one 3", "one 2", "one 1"])
  await list.refresh()
  expect(titlesOf(list)).toEqual(["one 6", "one 5", "changed", "one 3", "one 2", "one 0"])
  expect(requests).toEqual([undefined, "5", undefined, "3"])
  expect(list.cursor.value).toBe(null)
  titles.set(4, "changed again")
  await list.refresh()
  expect(titlesOf(list)).toContain("changed again")
})

test("a list of one page is read with one request", async () => {
  const { list, requests } = serverOf(5)
  await list.refresh()
  await list.refresh()
  expect(requests).toEqual([undefined, undefined])
  expect(list.cursor.value).toBe("3")
})

test("sessions between the newest page and the older ones are listed, however many were created", async () => {
  const { list, titles } = serverOf(2)
  await list.refresh()
  for (let index = 2; index < 9; index += 1) titles.set(index, `one ${index}`)
  for (let reads = 0; reads < 4; reads += 1) await list.refresh()
  expect(titlesOf(list)).toEqual(Array.from({ length: 9 }, (_, index) => `one ${8 - index}`))
  expect(list.cursor.value).toBe(null)
})

test("a refresh during another one starts after it, so that it contains the latest change", async () => {
  const { list, titles, requests } = serverOf(1)
  const first = list.refresh()
  titles.set(0, "changed")
  await Promise.all([first, list.refresh(), list.refresh()])
  expect(titlesOf(list)).toEqual(["changed"])
  expect(requests).toHaveLength(2)
})
