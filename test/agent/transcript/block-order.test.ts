// The order in which requests send the blocks of an answer: the cases below are as recorded from the official SDK.
import { expect, it } from "vitest"
import { callsLast } from "../../../src/agent/transcript/block-order.ts"

const TYPES: Readonly<Record<string, string>> = {
  call: "tool_use",
  think: "thinking",
  hidden: "redacted_thinking",
  search: "server_tool_use",
  found: "web_search_tool_result",
}

/** The order of blocks whose names are a type, or a key of `TYPES`, and a number. */
const order = (names: string): string =>
  callsLast(names.split(" ").map((name) => ({ type: TYPES[name.replace(/\d/, "")] ?? name.replace(/\d/, ""), name })))
    .map((block) => String(block["name"]))
    .join(" ")

it.each([
  ["call1 text1", "text1 call1"],
  ["text1 call1 text2 search1 found1", "text1 text2 search1 found1 call1"],
  ["call1 future_block1", "future_block1 call1"],
  ["search1 call1 found1", "search1 found1 call1"],
  ["call1 search1 found1 think1 text1", "search1 found1 think1 text1 call1"],
  ["think1 text1 call1 search1 found1 call2", "think1 text1 search1 found1 call1 call2"],
  ["think1 call1 text1 think2 call2 text2", "think1 text1 think2 text2 call1 call2"],
])("texts and other blocks after calls are sent before them: %s", (given, sent) => {
  expect(order(given)).toBe(sent)
})

it.each([
  ["call1 think1", "think1 call1"],
  ["text1 call1 think1", "text1 think1 call1"],
  ["call1 hidden1 call2", "hidden1 call1 call2"],
  ["call1 think1 text1", "think1 text1 call1"],
  ["text1 call1 think1 call2 think2", "text1 think1 call1 call2 think2"],
  ["think1 call1 search1 found1 think2 call2", "think1 search1 found1 think2 call1 call2"],
  ["think1 call1 call2 text1 think2", "think1 text1 think2 call1 call2"],
])("thinking after the first calls is sent before them: %s", (given, sent) => {
  expect(order(given)).toBe(sent)
})

it.each([
  "think1 call1 think2 call2",
  "think1 call1 think2 call2 hidden1",
  "think1 call1 think2 call2 text1",
  "think1 call1 think2 text1 call2",
  "think1 call1 think2 call2 think3 text1 call3",
  "text1 search1 found1 text2",
])("thinking between calls that follow thinking keeps its place: %s", (given) => {
  expect(order(given)).toBe(given)
})
