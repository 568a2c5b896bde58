// Receives the calls of hook callbacks and of canUseTool; returns the facts of each, in order.
import { HOOK_TEXTS, HOOK_VALUES, hookKeys } from "./keys.ts"
import {
  allKeys,
  type Fields,
  fieldsOf,
  type LanedFact,
  listOf,
  pick,
  presentKeys,
  type Reader,
  type StepRecording,
  withoutEmpty,
} from "./recording.ts"

/** Tools whose response keys are compared. */
const WITH_RESPONSE = /^(Agent|Task)/

export const hooksOf = (reader: Reader, step: StepRecording): ReadonlyArray<Fields> =>
  reader.inLanes(
    step.timeline.flatMap((event) => {
      if (event.kind !== "hook") return []
      const lane = reader.callOf(event.input["agent_id"]) ?? reader.label(event.input["tool_use_id"]) ?? ""
      const call = reader.label(event.input["tool_use_id"])
      return [{ lane, call, fact: hookFact(reader, event.event, event.input) } satisfies LanedFact]
    }),
  )

const hookFact = (reader: Reader, event: string, input: Fields): Fields => {
  const calls = input["tool_calls"]
  const texts = HOOK_TEXTS.filter((field) => input[field] !== undefined)
  const batch = listOf(calls).map((item) => `${reader.label(item["tool_use_id"])} ${String(item["tool_name"])}`)
  const tasks = input["background_tasks"]
  return withoutEmpty({
    event,
    ...pick(input, HOOK_VALUES),
    agent: reader.callOf(input["agent_id"]),
    call: reader.label(input["tool_use_id"]),
    calls: calls === undefined ? undefined : reader.lanes ? batch.toSorted() : batch,
    input: allKeys(input["tool_input"]),
    response: WITH_RESPONSE.test(String(input["tool_name"])) ? allKeys(input["tool_response"]) : undefined,
    error: event === "StopFailure" ? input["error"] : input["error"] && reader.texts.show(input["error"]),
    tasks:
      tasks === undefined
        ? undefined
        : listOf(tasks).map((task) => `${String(task["type"])} ${String(task["status"])}`),
    ...Object.fromEntries(texts.map((field) => [field, reader.texts.show(input[field])])),
    keys: presentKeys(input, hookKeys(event)),
  })
}

export const permissionsOf = (reader: Reader, step: StepRecording): ReadonlyArray<Fields> =>
  reader.inLanes(
    step.timeline.flatMap((event) => {
      if (event.kind !== "permission") return []
      const { options } = event
      const agent = reader.callOf(options["agentID"])
      const fact = withoutEmpty({
        tool: event.tool,
        call: reader.label(options["toolUseID"]),
        agent,
        input: allKeys(event.input),
        request_id: options["requestId"] !== undefined,
        signal: event.signal,
        suggestions: options["suggestions"] && listOf(options["suggestions"]).map(suggestion),
        blocked_path: options["blockedPath"] !== undefined,
        reason_type: options["decisionReasonType"],
        answer: fieldsOf(event.result)["behavior"],
      })
      return [{ lane: agent ?? "", fact } satisfies LanedFact]
    }),
  )

const suggestion = (offered: Fields): string => {
  const tools = listOf(offered["rules"]).map((rule) => String(rule["toolName"]))
  return [offered["type"], offered["mode"] ?? offered["behavior"], tools.join("+"), offered["destination"]]
    .filter((part) => part !== undefined && part !== "")
    .join(" ")
}
