// A separate tenant with a limit of concurrent turns, and what its sessions' logs say about their waits.
import { randomUUID } from "node:crypto"
import type { ApiLog } from "../../support/session/api-log.ts"
import { type Event, eventually, PerchClient } from "../../support/server/client.ts"

export interface LaneTenant {
  readonly perch: PerchClient
  readonly key: string
  readonly setLimits: (limits: Readonly<Record<string, number>>) => Promise<unknown>
}

export const laneTenant = async (root: PerchClient, limits: Readonly<Record<string, number>>): Promise<LaneTenant> => {
  const tenant = `lane-${randomUUID().slice(0, 8)}`
  const { key } = await root.json<{ key: string }>("POST", "/v1/admin/keys", { json: { tenant }, status: 201 })
  const setLimits = (next: Readonly<Record<string, number>>) =>
    root.json("PUT", `/v1/admin/tenants/${tenant}/limits`, { json: next })
  await setLimits(limits)
  return { perch: root.withKey(key), key, setLimits }
}

/** Resolves when `count` requests wait at the scripted API's gate. */
export const untilHeld = ({ url }: ApiLog, gate: string, count: number): Promise<true> =>
  eventually(async () => {
    const response = await fetch(`${url}/__open`, { signal: AbortSignal.timeout(10_000) })
    const open = (await response.json()) as { readonly waiting: Readonly<Record<string, number>> } // the scripted API returns it
    return open.waiting[gate] === count ? true : undefined
  })

export interface Lane {
  readonly position: number
  readonly limit: number
  readonly since: string
}

/** Where a session's turn waits; undefined if it does not. */
export const laneOf = async (perch: PerchClient, id: string): Promise<Lane | undefined> =>
  (await perch.json<{ lane?: Lane }>("GET", `/v1/sessions/${id}`)).lane

export const untilWaiting = (perch: PerchClient, id: string): Promise<Lane> => eventually(() => laneOf(perch, id))

/** A wait, from the log. */
export interface Wait {
  readonly turn: string | null
  readonly positions: ReadonlyArray<number>
  readonly since: number
  readonly enteredAt: number | null
}

export const waitsOf = (events: ReadonlyArray<Event>): ReadonlyArray<Wait> => {
  const waits: Array<Wait & { positions: Array<number>; enteredAt: number | null }> = []
  for (const { name, turn, payload, at } of events) {
    const last = waits.at(-1)
    const open = last?.enteredAt === null && last.turn === turn ? last : undefined
    if (name === "lane:entered" && open !== undefined) open.enteredAt = at
    if (name !== "lane:waiting") continue
    const position = Number(payload["position"])
    if (open !== undefined) open.positions.push(position)
    else waits.push({ turn, positions: [position], since: Number(payload["since"]), enteredAt: null })
  }
  return waits
}
