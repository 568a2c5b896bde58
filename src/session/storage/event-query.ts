// Which events are read from a session's log.

export interface EventQuery<N extends string = string> {
  readonly after: number
  readonly limit: number
  readonly order: "asc" | "desc"
  readonly name?: N
  readonly turn?: string
  /** Only events with this `parent_tool_use_id`. */
  readonly parent?: string
  /** Only events with these names, and none beyond `through`: see `SessionLog.namesFrom`. */
  readonly among?: { readonly names: ReadonlyArray<string>; readonly through: number }
}

/** Which events `SessionLog.all` reads, and how much at once: at most `limit` events, and about `most` characters. */
export type AllQuery<N extends string> = Omit<EventQuery<N>, "after" | "limit" | "order"> & {
  readonly limit?: number
  readonly most?: number
}
