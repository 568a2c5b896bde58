// Receives the messages of a session in order; returns those of the main thread and, by tool call, those of each subagent.
// Invariant: each message is in one thread. A subagent's message whose call is not loaded is in the main thread.

export interface ThreadTree {
  readonly main: ReadonlyArray<string>
  /** By the id of the call that started the subagent. */
  readonly children: ReadonlyMap<string, ReadonlyArray<string>>
}

export interface ThreadSource {
  readonly ids: ReadonlyArray<string>
  readonly parentCallOf: (id: string) => string | undefined
  readonly hasCall: (call: string) => boolean
}

export const threadTree = ({ ids, parentCallOf, hasCall }: ThreadSource): ThreadTree => {
  const main: Array<string> = []
  const children = new Map<string, Array<string>>()
  for (const id of ids) {
    const call = parentCallOf(id)
    if (call === undefined || !hasCall(call)) {
      main.push(id)
      continue
    }
    const siblings = children.get(call)
    if (siblings === undefined) children.set(call, [id])
    else siblings.push(id)
  }
  return { main, children }
}
