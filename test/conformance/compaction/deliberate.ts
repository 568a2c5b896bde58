// Scenarios in which Perch deliberately differs from what was recorded: the aspects that differ, and why.
// docs/decisions/turns/compacted-conversations.md has the reasons for readers.
import type { Digest } from "../agents/digest/digest.ts"

interface Deliberate {
  readonly differs: ReadonlyArray<keyof Digest>
  readonly reason: string
}

const EMPTY_ANSWERS: Deliberate = {
  differs: ["hooks"],
  reason: "SubagentStop fires for a summary, not for an answer without a text, where it would show an older answer.",
}

const THREE_FAILURES: Deliberate = {
  differs: ["messages", "hooks", "requests"],
  reason: "After three failures in a row none begins by itself: each of them is paid for, and waited for.",
}

const SHOWN_TO_PEOPLE: Deliberate = {
  differs: ["requests"],
  reason: "What a local command shows to people is not sent to the model.",
}

const IMAGE_NUMBERS: Deliberate = {
  differs: ["requests"],
  reason: "The number after an image is removed together with the image.",
}

export const DELIBERATE: Readonly<Record<string, Deliberate>> = {
  "compact-summary-empty": EMPTY_ANSWERS,
  "auto-summary-empty": EMPTY_ANSWERS,
  "compact-summary-only-analysis": {
    differs: ["messages", "hooks", "requests", "result"],
    reason: "An answer without a summary fails the compaction, instead of replacing the conversation by nothing.",
  },
  "compact-summary-fails": {
    differs: ["requests"],
    reason: "How often a refused request is sent again in other forms is the recorded process's own business.",
  },
  "refused-image": IMAGE_NUMBERS,
  "refused-and-the-summary-too": {
    differs: ["messages"],
    reason: "`preserved_segment` is left out when only a prompt is preserved, behind a summary of the last exchange.",
  },
  "compact-after-an-api-error": {
    differs: ["messages"],
    reason: "`preserved_segment` is left out when only the report of a failed request is preserved.",
  },
  "compact-after-a-local-command": {
    differs: ["messages"],
    reason: "Clients have the output of a local command already: it is not sent again after the summary.",
  },
  "compact-hook-stops": {
    differs: ["messages", "hooks", "requests", "result"],
    reason: "PreCompact with `continue: false` stops the compaction, as it stops what other hooks come before.",
  },
  "compact-hook-blocks-with-a-message": SHOWN_TO_PEOPLE,
  "compact-hook-speaks": SHOWN_TO_PEOPLE,
  "compact-hook-after-speaks": SHOWN_TO_PEOPLE,
  "auto-fails-again-and-again": THREE_FAILURES,
  "auto-in-the-default-window": {
    differs: ["messages", "hooks", "requests", "result"],
    reason: "Every model's window is guarded, not only those of some models and those that were set.",
  },
}
