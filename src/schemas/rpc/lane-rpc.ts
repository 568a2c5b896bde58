// A tenant's lane as calls between its sessions and the lane's Durable Object show it: who may run a turn, and who waits.

/** A turn that asks for a place to run. */
export interface LaneArrival {
  readonly session: string
  readonly turn: string
  /** When it arrived first (milliseconds since 1970); null for a turn that arrives now. */
  readonly since: number | null
  /** The position that the session knows: the answer comes when it has moved on enough. Null asks for an answer at once. */
  readonly known: number | null
}

/** It has a place, or it waits. `generation` names the place; 0 means a tenant without a limit, whose turns need none. */
export type LaneAnswer =
  | { readonly entered: true; readonly generation: number }
  | {
      readonly entered: false
      /** 1 is next. */
      readonly position: number
      readonly limit: number
      readonly since: number
    }

export interface HeldPlace {
  readonly session: string
  readonly generation: number
}

/** The RPC methods of a lane's Durable Object (stub from `env.LANES.getByName(tenant)`). */
export interface LaneRpc {
  /** Takes a place for a turn, or a position among those that wait. Again for the same turn keeps both. */
  enter(arrival: LaneArrival): Promise<LaneAnswer>
  /** The turn runs still. False when its place is lost. */
  renew(place: HeldPlace): Promise<boolean>
  /** The turn does not run any more. A place that the session has taken since stays. */
  leave(place: HeldPlace): Promise<void>
  /** The turn neither runs nor waits any more. */
  cancel(turn: Pick<LaneArrival, "session" | "turn">): Promise<void>
  /** The tenant's limit is another one now; 0: there is none. */
  limitChanged(limit: number): Promise<void>
}

/** The `LANES` binding. An object is named by its tenant. */
export interface LaneNamespace {
  getByName(name: string): LaneRpc
}
