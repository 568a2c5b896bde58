// The texts of a compaction: the request to the model, the summary in its answer, and the message that continues from it.
// Invariant: the request's text contains "detailed summary", by which tests and scripted servers recognize it; the text of
// the message that continues does not.

import { SUMMARY_SENTENCE } from "../../model/request/summary-request.ts"

const REQUEST = `Call no tool in this answer: the call would be refused and the answer lost.

${SUMMARY_SENTENCE}
It replaces the messages above: from now on, you see only what it contains.

Cover these, each under its own heading:

1. Task: what the user asked for, in their own words where these matter, and what they corrected or ruled out.
2. Findings: facts, names, numbers, paths, identifiers and causes.
3. Files: those read, written or changed, with their important contents, and exact code where the work continues from it.
4. Errors: what went wrong, and what was done about it.
5. The user's messages: each one that is not the result of a call, in order and shortened.
6. State: what is done, in progress and left, and the next step.

First think between <analysis> and </analysis>, which is discarded. Then write the summary between <summary> and </summary>.`

/** The last message of the request for a summary. */
export const summaryRequestText = (instructions: string | null): string =>
  instructions === null ? REQUEST : `${REQUEST}\n\nThe user asks for this in particular: ${instructions}`

/**
 * The summary in an answer: without the analysis, the first opening and the last closing tag. Like the official SDK, it keeps
 * everything else, since a summary may quote `<summary>` elements of HTML.
 */
export const summaryOf = (answer: string): string =>
  answer
    .replace(/<analysis>[\s\S]*?<\/analysis>/, "")
    // An analysis without its closing tag ends where the summary begins.
    .replace(/(?:<analysis>[\s\S]*?)?<summary>/, "")
    .replace(/^([\s\S]*)<\/summary>/, "$1")
    .trim()

/** Whether the answer marks its summary as requested. */
export const hasSummary = (answer: string): boolean => answer.includes("<summary>")

/** The message that replaces the summarized messages. `goesOn`: the turn continues without a new prompt. */
export const continuationText = (
  summary: string,
  { goesOn, preserves }: { readonly goesOn: boolean; readonly preserves: boolean },
): string =>
  [
    "The earlier part of this conversation was removed to free up context. These are your notes about it:",
    summary,
    ...(goesOn
      ? ["Continue the work where you left off, without mentioning these notes and without asking what to do."]
      : []),
    ...(preserves ? ["The messages that follow are the latest ones, unchanged."] : []),
  ].join("\n\n")
