// Collects unfinished work that a sign-out would discard. Screens that keep such work register a check here.
// Invariant: work in the tab's storage counts even if its screen is not loaded.
import { draftsIn, namesIn, readDraft } from "../../compose/drafts.ts"
import { isFilledIn, NEW_SESSION } from "../../compose/new/session-form.ts"
import { OUTBOX_PREFIX } from "../../compose/outbox.ts"

const checks = new Map<string, () => boolean>()

/** Registers a check. `name` describes the work, such as `attached files`; `check` returns whether there is any now. */
export const reportUnfinished = (name: string, check: () => boolean): void => void checks.set(name, check)

const hasPrompts = (storage: Storage): boolean =>
  namesIn(storage, OUTBOX_PREFIX).length > 0 ||
  draftsIn(storage).some((of) => (of === NEW_SESSION ? isFilledIn(storage) : readDraft(storage, of).trim() !== ""))

/** The names of all unfinished work. */
export const unfinished = (storage: Storage): ReadonlyArray<string> => [
  ...(hasPrompts(storage) ? ["prompts that are not sent"] : []),
  ...[...checks].filter(([, check]) => check()).map(([name]) => name),
]
