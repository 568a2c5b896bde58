// What a client that comes in the middle is sent beside the log: the answer that streams now, and what waits for it.
import type { FeedDeps } from "./feed.ts"
import { openFrames } from "./ask-frames.ts"
import type { OpenSession } from "../wire-session.ts"

/** The stream events that bring a client to where the running answer is; null when none streams. */
export const runningAnswer = ({ runner }: OpenSession, id: string): ReturnType<FeedDeps["partialNow"]> => {
  const { current } = runner
  if (current === null || !current.live.open) return null
  return {
    turn: current.turn,
    events: current.live.decoder.partial(),
    wrap: (event) => ({
      type: "stream_event",
      event,
      session_id: id,
      parent_tool_use_id: null,
      uuid: crypto.randomUUID(),
    }),
  }
}

/** What a client whose connection came back is asked again; `answers` when it may answer asks. */
export const unanswered = (
  { session, clients }: OpenSession,
  client: string,
  answers: boolean,
): ReturnType<FeedDeps["unanswered"]> => [
  ...(answers ? openFrames(session.askStore.open) : []),
  ...clients.unanswered(client),
]
