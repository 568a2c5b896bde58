// What a person has begun on the page and a sign-out drops. Screens that keep such things report them here.
// Invariant: what is in the tab's storage counts also while its screen is not loaded.
import { draftsIn, namesIn, readDraft } from "../../compose/drafts.ts"
import { isFilledIn, NEW_SESSION } from "../../compose/new/session-form.ts"
import { OUTBOX_PREFIX } from "../../compose/outbox.ts"

const checks = new Map<string, () => boolean>()

/** `name` is what people call it, such as `attached files`; `check` whether there is such a thing now. */
export const reportUnfinished = (name: string, check: () => boolean): void => void checks.set(name, check)

const hasPrompts = (storage: Storage): boolean =>
  namesIn(storage, OUTBOX_PREFIX).length > 0 ||
  draftsIn(storage).some((of) => (of === NEW_SESSION ? isFilledIn(storage) : readDraft(storage, of).trim() !== ""))

/** The names of what is unfinished. */
export const unfinished = (storage: Storage): ReadonlyArray<string> => [
  ...(hasPrompts(storage) ? ["prompts that are not sent"] : []),
  ...[...checks].filter(([, check]) => check()).map(([name]) => name),
]
