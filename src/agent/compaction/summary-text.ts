// The texts of a compaction: the request to the model, the summary in its answer, and the message that continues from it.
// Invariant: the request's text contains "detailed summary", by which tests and scripted servers recognize it; the text of
// the message that continues does not.

import type { Block } from "../../schemas/sdk/messages/blocks.ts"
import { SUMMARY_SENTENCE } from "../../model/request/summary-request.ts"

const REQUEST = `For this one answer, stop working on the task and call no tool: a call would be refused and the answer lost.

${SUMMARY_SENTENCE}
It replaces the messages above: from the next message on, you no longer see anything that it does not contain.

Cover these, each under its own heading:

1. The task
What the user asked for, in their own words where these matter.
What they corrected or ruled out.
2. Findings
Facts, names, numbers, paths, identifiers and causes that were found.
3. Files
Those that were read, written or changed, each with its important contents.
Exact code, where the work continues from it.
4. Errors
What went wrong, and what was done about it.
5. The user's messages
Each one that is not the result of a call, in order and shortened.
6. State
What is done, and what is in progress.
What is left, and the next step.

First think it through between <analysis> and </analysis>, which is discarded.
Then write the summary itself between <summary> and </summary>.`

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

const NOTES = "The earlier part of this conversation was removed to free up context. These are your notes about it:"

/** True for the text block that contains the summary of an earlier compaction. */
export const isEarlierSummary = ({ text }: Block): boolean => typeof text === "string" && text.startsWith(NOTES)

/** The message that replaces the summarized messages. `goesOn`: the turn continues without a new prompt. */
export const continuationText = (
  summary: string,
  { goesOn, preserves }: { readonly goesOn: boolean; readonly preserves: boolean },
): string =>
  [
    NOTES,
    summary,
    ...(goesOn
      ? ["Continue the work where you left off, without mentioning these notes and without asking what to do."]
      : []),
    ...(preserves ? ["The messages that follow are the latest ones, unchanged. They are newer than the notes."] : []),
  ].join("\n\n")
