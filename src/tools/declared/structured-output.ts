// Receives the `outputFormat` of a session or turn; returns the tool with which the model returns the turn's value and ends it.
// Invariant: only a value that is valid for the caller's schema succeeds. Any other value fails in `run`, so that hooks see
// it, and its result lists every issue.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { DecodeIssue } from "../../schemas/agent-schema/errors.ts"
import { readJsonSchema } from "../../schemas/agent-schema/json-schema-dialect.ts"
import { schemaIssues } from "../../schemas/sdk/options/option-issues.ts"
import type { OutputFormat } from "../../schemas/sdk/options/options.ts"
import { INTERNAL, invalidInput } from "../make-tool.ts"
import { type Tool, ToolError } from "../tool.ts"

const NAME = "StructuredOutput"

/** Returns the tool. An unusable format is refused when options are checked; with one, every call of the tool would fail. */
export const structuredOutputTool = (format: OutputFormat): Tool => {
  const read = readJsonSchema(format.schema)
  const refusals = schemaIssues(["outputFormat", "schema"], format.schema).map(({ message }) => message)
  const problems = (value: unknown): ReadonlyArray<string> =>
    Result.isSuccess(read) ? read.success.issuesOf(value).map(problem) : refusals
  return {
    name: NAME,
    description:
      "Returns the final answer as a value in the format that the user requested, and ends the turn. Call it once, when the " +
      "work is done and everything that belongs in the answer is known.",
    inputSchema: Result.isSuccess(read) ? read.success.jsonSchema : { type: "object", properties: {} },
    // Input that is not JSON never reaches hooks; any other input is validated by `run`.
    decode: (input) => (isUnparsed(input) ? Effect.fail(invalidInput(NAME, [UNPARSED])) : Effect.succeed(input)),
    readOnly: () => false,
    concurrent: () => true,
    ...INTERNAL,
    run: (value) =>
      Effect.suspend(() => {
        const wrong = problems(value)
        if (wrong.length === 0) return Effect.succeed({ content: "The answer was accepted.", output: value })
        const message = `The value does not match the output format:\n${wrong.join("\n")}`
        return Effect.fail(new ToolError({ reason: "invalid_arguments", message }))
      }),
  }
}

const UNPARSED = "The input is not valid JSON"

const isUnparsed = (input: unknown): boolean =>
  typeof input === "object" && input !== null && "__unparsedToolInput" in input

const words = (issue: string): string => issue.replaceAll("-", " ")

/** Formats an issue as `answer: not number`; the path of the value itself is `(the whole value)`. */
const problem = ({ path, issue }: DecodeIssue): string => {
  const place = path
    .map((key, index) => (typeof key === "number" ? `[${key}]` : `${index === 0 ? "" : "."}${key.slice(0, 100)}`))
    .join("")
  return `${place === "" ? "(the whole value)" : place.slice(0, 1000)}: ${words(issue)}`
}
