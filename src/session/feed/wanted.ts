// Which events and control frames a listener gets.
import type { SessionCore } from "../core.ts"
import type { Listener } from "./listener.ts"

/** Events that only listeners get that subscribe to partial messages. */
const ON_REQUEST: ReadonlySet<string> = new Set(["sdk:stream_event", "sdk:system/status"])

/** Whether a listener gets an ephemeral event of a turn. Perch's own events go only to feeds of facts. */
export const wantsEvent = (
  { turn: only, partials, signals, facts }: Listener,
  turn: string | null,
  name: string,
  session: Pick<SessionCore, "runningOptions"> | undefined,
): boolean => {
  if (signals !== undefined || (only !== null && only !== turn)) return false
  if (facts !== true && !name.startsWith("sdk:")) return false
  return partials === "yes" || !ON_REQUEST.has(name) || session?.runningOptions.includePartialMessages === true
}

/** Whether an ask can be answered: where asks are denied at once (`permission_prompts: "deny"`), only by a connected client. */
export const canAsk = ({
  feed: { listeners },
  runningOptions,
}: Pick<SessionCore, "feed" | "runningOptions">): boolean =>
  runningOptions.permission_prompts !== "deny" || listeners.current().some((socket) => mayAnswer(listeners.of(socket)))

/** Asks go to clients that may answer them. */
export const mayAnswer = ({ client, actor }: Listener): boolean =>
  client !== null && (actor === undefined || actor.roles.includes("answer"))
