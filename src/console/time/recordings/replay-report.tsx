// The report of a replay: its session, which can be watched while it runs, and the first difference.
import { hashOf } from "../../app/router.ts"
import { count } from "../../kit/format.ts"
import type { ReplayReport } from "./shapes.ts"

export const Report = ({ report }: { readonly report: ReplayReport }) => {
  const { session_id: session, status, equal, events, difference, not_found } = report
  return (
    <div class="replay-report" role="status">
      <p>
        {status === "running"
          ? "The replay runs."
          : equal === true
            ? `All ${count(events)} events are equal.`
            : "The replay differs from the recording."}{" "}
        {session === null ? null : (
          <a href={hashOf({ page: "session", id: session, screen: "chat" })}>
            {status === "running" ? "Watch the session that replays it" : "Open the replayed session"}
          </a>
        )}
      </p>
      {not_found === null ? null : <pre class="raw-text">{not_found}</pre>}
      {difference === null ? null : (
        <>
          <p>
            The first difference is in {difference.part}
            {difference.index === null ? "" : `, at event ${difference.index}`}: recorded{" "}
            {difference.recorded ?? "nothing"}, got {difference.got ?? "nothing"}.
          </p>
          <pre class="raw-text" tabIndex={0} role="region" aria-label="The first difference">
            {difference.text}
          </pre>
        </>
      )}
    </div>
  )
}
