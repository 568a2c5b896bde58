// The RPC between a tenant's sessions and the Durable Object of its lane: which session may run a turn, and which waits.

/** A turn that asks for a place to run. */
export interface LaneArrival {
  readonly session: string
  readonly turn: string
  /** When the turn first arrived (milliseconds since 1970); null for a turn that arrives now. */
  readonly since: number | null
  /** The position that the session knows: the answer comes when it has improved enough. Null asks for an answer at once. */
  readonly known: number | null
}

/** The turn has a place, or it waits. `generation` identifies the place; 0 means that the tenant has no limit. */
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
  /** Takes a place for a turn, or a position in the queue. A repeated call for the same turn keeps it. */
  enter(arrival: LaneArrival): Promise<LaneAnswer>
  /** Call while the turn runs: renews its lease. False when its place is lost. */
  renew(place: HeldPlace): Promise<boolean>
  /** Call when the turn no longer runs: frees its place. A place that the session has taken since stays. */
  leave(place: HeldPlace): Promise<void>
  /** Call when the turn neither runs nor waits any more: frees its place, or removes it from the queue. */
  cancel(turn: Pick<LaneArrival, "session" | "turn">): Promise<void>
  /** Call when the tenant's limit has changed; 0 means no limit. */
  limitChanged(limit: number): Promise<void>
}

/** The `LANES` binding. An object is named by its tenant. */
export interface LaneNamespace {
  getByName(name: string): LaneRpc
}
