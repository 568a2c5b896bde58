// Receives a session whose run starts, and the first events of the run; returns the sizes of what the model reads in addition to
// the conversation.
// Invariant: it has counts and names only, and no text of a prompt or a file.
import { modelOf } from "../../agent/step-request.ts"
import { systemPromptOf } from "../../model/request/system-prompt.ts"
import type { NewEvent } from "../../schemas/log/events.ts"
import type { PromptReport } from "../../schemas/runs/run-events.ts"
import { sessionTools } from "../mcp/turn-tools.ts"
import type { SessionCore } from "../core.ts"

export const promptReport = (core: SessionCore, events: ReadonlyArray<NewEvent>): PromptReport => {
  const { memory, record, runningOptions: options, runningTurn, workspace } = core
  const tools = sessionTools(core, runningTurn.routing.servers.tools)
  const context = { cwd: record.cwd, model: modelOf(options), tools: tools.map(({ name }) => name) }
  const system = systemPromptOf(options.systemPrompt, context)
  const loaded = new Map<string, number | null>()
  for (const path of memory.project.instructions.keys()) loaded.set(path, workspace.stat(path)?.size ?? null)
  let { skills } = memory.project
  for (const event of events) {
    if (event.name === "instructions:loaded")
      for (const { path, text } of event.payload.files) loaded.set(path, text.length)
    if (event.name === "skills:listed") skills = event.payload.skills
  }
  return {
    cwd: record.cwd,
    system_chars: system.reduce((sum, { text }) => sum + text.length, 0),
    files: [...loaded].map(([path, chars]) => ({ path, chars })),
    skills: (skills ?? []).map(({ name, description }) => ({ name, chars: name.length + description.length })),
    tools: tools.map(({ name, description, inputSchema }) => ({
      name,
      summary_chars: description.length,
      schema_chars: JSON.stringify(inputSchema).length,
      properties: propertiesOf(inputSchema),
    })),
  }
}

const propertiesOf = (schema: Readonly<Record<string, unknown>>): number | null => {
  const { properties } = schema
  return typeof properties === "object" && properties !== null ? Object.keys(properties).length : null
}
