// Receives the decoded options of a session or of one turn; returns everything in them that is not supported.
// Invariant: every entry point for options, over HTTP or the control protocol, checks them here before it stores them. Checks
// that need the network or the caller's rights are made by the entry points themselves.
import { sentSchemaIssues } from "../../agent-schema/schema-issues.ts"
import { fieldPath, issueAt } from "../../errors/field-path.ts"
import type { RefusedField } from "../../errors/rpc-error.ts"
import { HOOK_STATUS } from "../status/hook-status.ts"
import { HOOK_EVENTS } from "../hooks/hooks.ts"
import { agentIssues } from "./agent-issues.ts"
import type { SessionOptions } from "./options.ts"
import { SAME_AS_VARIANT } from "./variants.ts"

/** The path of the options in a request's body. */
const AT = ["options"] as const

export const optionIssues = (options: SessionOptions): ReadonlyArray<RefusedField> => [
  ...(options.outputFormat === undefined
    ? []
    : schemaIssues([...AT, "outputFormat", "schema"], options.outputFormat.schema)),
  ...(options.clientTools ?? []).flatMap(({ inputSchema }, index) =>
    schemaIssues([...AT, "clientTools", index, "inputSchema"], inputSchema),
  ),
  ...variantIssues(options),
  ...runtimeIssues(options.runtime),
  ...(options.agents === undefined ? [] : agentIssues(options.agents, [...AT, "agents"])),
  ...HOOK_EVENTS.filter((event) => (options.hooks?.[event] ?? []).length > 0).flatMap((event) => {
    const { status, note } = HOOK_STATUS[event]
    return status === "never" ? [issueAt([...AT, "hooks", event], `${note}. Remove it.`)] : []
  }),
]

const variantIssues = (options: SessionOptions): ReadonlyArray<RefusedField> =>
  options.variant === undefined
    ? []
    : SAME_AS_VARIANT.filter((name) => options[name] !== undefined).map((name) =>
        issueAt([...AT, "variant"], `can't be combined with ${fieldPath([...AT, name])}. Send one of the two.`),
      )

const runtimeIssues = (runtime: SessionOptions["runtime"]): ReadonlyArray<RefusedField> => {
  if (runtime === undefined || (runtime.mode === "playback") === (runtime.recording !== undefined)) return []
  const text =
    runtime.mode === "playback"
      ? "is missing: `playback` needs the id of a recording."
      : `is for \`playback\` only, and the mode is \`${runtime.mode}\`. Leave it out.`
  return [issueAt([...AT, "runtime", "recording"], text)]
}

/** The issues of a JSON Schema that was sent at the path `at`. */
export const schemaIssues = (at: ReadonlyArray<string | number>, schema: unknown): ReadonlyArray<RefusedField> =>
  sentSchemaIssues(schema).map(({ path, message }) => issueAt([...at, ...path], message))
