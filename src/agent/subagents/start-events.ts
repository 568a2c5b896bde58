// Receives a run of a subagent that starts; returns its events for the log and for clients.
import { EventNames, type NewEvent } from "../../schemas/log/events.ts"
import type { AgentStarted } from "../../schemas/log/agent-events.ts"
import { stamp } from "../calls/hook-events.ts"
import { systemMessage } from "../messages/sdk-messages.ts"
import type { Turn } from "../ports.ts"

export const startEvents = (caller: Turn, run: AgentStarted): ReadonlyArray<NewEvent> => [
  {
    name: EventNames.agentStarted,
    payload: run,
    turn: caller.agent?.detached === true ? null : caller.id,
    parent_tool_use_id: caller.agent?.thread ?? null,
  },
  ...announced(caller, run),
  { ...taskStarted(caller, run), turn: caller.agent?.detached === true ? null : caller.id },
]

const taskStarted = (caller: Turn, run: AgentStarted): NewEvent<"sdk:system/task_started"> =>
  systemMessage(stamp(caller), "task_started", {
    task_id: run.agent_id,
    run_id: run.run_id,
    ...(run.fork === "prompt" ? {} : { tool_use_id: run.tool_use_id }),
    description: run.description,
    subagent_type: run.agent_type,
    is_backgrounded: run.background,
    spawn_depth: run.depth,
    ...(run.parent_agent_id === undefined ? {} : { parent_task_id: run.parent_agent_id }),
    task_type: "local_agent",
    prompt: run.prompt,
    ...(run.fork === undefined ? {} : { skip_transcript: true, ambient: true }),
  })

/** The run in the form of a background task of the session. */
export const taskOf = (run: AgentStarted) => ({
  agentId: run.agent_id,
  runId: run.run_id,
  toolUseId: run.tool_use_id,
  description: run.description,
  type: run.agent_type,
  parent: run.parent_agent_id,
})

/** The background agents that run although their calls have no result yet: `tasks`, the stored ones, do not contain them. */
export const beginningTasks = (
  { running }: { readonly running: ReadonlyArray<{ readonly started: AgentStarted }> },
  tasks: ReadonlyArray<{ readonly task_id: string }>,
) =>
  running.flatMap(({ started }) =>
    started.background && !tasks.some(({ task_id }) => task_id === started.agent_id) ? [taskOf(started)] : [],
  )

/** The list of running background tasks, which clients get before `task_started`. */
const announced = ({ background }: Turn, run: AgentStarted): ReadonlyArray<NewEvent> =>
  run.background ? (background?.beginAgent(taskOf(run)).facts ?? []) : []
