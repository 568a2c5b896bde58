// The session facts that a reader receives when it joins in the middle: at each position, what a fold of the log up to there
// has.
import { expect, it } from "vitest"
import { viewEventOf } from "../../../src/views/live/view-event.ts"
import { baseAt } from "../../../src/session/feed/base-at.ts"
import { EMPTY_BASE, foldBase } from "../../../src/views/live/session-base.ts"
import { BYPASS, forks } from "../../behaviour/sessions/forks.ts"
import { type Booted, eventsOf } from "../../support/session/session-harness.ts"
import { text } from "../../support/session/scripts.ts"

const { forked, run, session } = forks()
const SAYS = { content: [text("Done.")] }

const differences = ({ session: core, log }: Booted): ReadonlyArray<unknown> => {
  let folded = EMPTY_BASE
  return eventsOf(log).flatMap((event) => {
    folded = foldBase(folded, viewEventOf(event))
    const { title, metadata, options, created_at } = folded
    const whole = { title, metadata, options, created_at }
    const { seq } = event
    const base = baseAt(core, seq)
    const read = {
      title: base.title,
      metadata: base.metadata,
      options: base.options,
      created_at: base.created_at,
    }
    return JSON.stringify(read) === JSON.stringify(whole) ? [] : [{ seq, read, whole }]
  })
}

it("has the copy's own title, metadata and options, and the time from the source session", async () => {
  const { booted: parent } = session()
  const payload = { cwd: "/workspace", title: null, metadata: {}, options: BYPASS }
  parent.session.append([{ name: "session:created", payload }])
  await run(parent, [SAYS])
  const own = { title: "Copy", metadata: { of: "copy" }, options: { model: "haiku" } }
  const { booted: child, through } = await forked(parent, own)
  await run(child, [SAYS])
  child.session.changes.patch({ title: "Changed" })
  expect(differences(parent)).toEqual([])
  expect(differences(child)).toEqual([])
  expect(baseAt(child.session, through)).toMatchObject({ title: null, options: BYPASS })
  expect(baseAt(child.session, through + 1)).toMatchObject({ ...own, options: { ...BYPASS, model: "haiku" } })
})
