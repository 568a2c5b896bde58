// The summary in a model's answer.
import { expect, it } from "vitest"
import { summaryOf } from "../../../src/agent/compaction/summary-text.ts"

it.each([
  ["is the text between its tags", "<analysis>a</analysis>\n<summary>\nthe notes\n</summary>", "the notes"],
  [
    "keeps elements of HTML",
    "<summary>1. <summary>Title</summary>\n2. more</summary>",
    "1. <summary>Title</summary>\n2. more",
  ],
  ["ignores tags in the analysis", "<analysis>a <summary>b</summary></analysis><summary>notes</summary>", "notes"],
  ["keeps the text around its tags", "First:\n<summary>notes</summary>\nlast", "First:\nnotes\nlast"],
  ["leaves out an analysis without its closing tag", "<analysis>a\n<summary>notes</summary>", "notes"],
  ["is everything when it was cut off", "<analysis>a</analysis><summary>notes and", "notes and"],
  ["is the whole answer when it has no tags", "plain notes", "plain notes"],
  ["is empty when the answer has only an analysis", "<analysis>a</analysis>\n<summary></summary>", ""],
])("%s", (_title, answer, summary) => {
  expect(summaryOf(answer)).toBe(summary)
})
