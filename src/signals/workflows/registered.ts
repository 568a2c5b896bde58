// The workflows that this Worker runs durably, by name. Add your own here: `POST /v1/workflows/{name}/runs` starts a run.
// Invariant: names are unique, and the handlers of a registered workflow need no services.
import * as Schema from "effect/Schema"
import type { WorkflowInfo } from "../../schemas/api/workflows.ts"
import { nameOf } from "../signal.ts"
import type { Workflow } from "../workflow.ts"
import { debate } from "./debate.ts"
import { taskWorkflow } from "./task-workflow.ts"

/** A workflow whose type of state is hidden. */
export type AnyWorkflow = Workflow<unknown>

interface Registered {
  readonly workflow: AnyWorkflow
  /** The workflow's purpose, in one sentence. */
  readonly description: string
}

/** Hides the type of the state: a run's state only reaches the functions of its own workflow. */
const register = <S>(workflow: Workflow<S>, description: string): Registered => ({
  workflow: workflow as unknown as AnyWorkflow,
  description,
})

const REGISTERED: ReadonlyArray<Registered> = [
  register(taskWorkflow, "An agent works through a list of tasks and tries what failed again."),
  register(debate, "Two agents argue for and against a claim."),
]

const byName = new Map(REGISTERED.map((one) => [one.workflow.name, one]))

export const registeredWorkflow = (name: string): AnyWorkflow | undefined => byName.get(name)?.workflow

/** True for a signal that the workflow defines, or that matches a pattern of one of its handlers or agents. */
export const isDeclared = ({ definitions, handlers, agents }: AnyWorkflow, name: string): boolean =>
  definitions.has(name) ||
  [...handlers, ...agents].some(({ patterns }) => patterns.some(({ matches }) => matches(name)))

/** All workflows as the API returns them. */
export const registeredWorkflows = (): ReadonlyArray<WorkflowInfo> =>
  REGISTERED.map(({ workflow, description }) => ({
    name: workflow.name,
    description,
    handles: workflow.handlers.flatMap(({ patterns }) => patterns.map(({ text }) => text)),
    agents: workflow.agents.map(({ definition: { name, activatesOn, emits } }) => ({
      name,
      activates_on: activatesOn.map(nameOf),
      emits: emits.map(nameOf),
    })),
    signals: Object.fromEntries(
      Array.from(workflow.definitions, ([name, { schema }]) => [name, payloadSchema(schema)]),
    ),
    limits: workflow.limits,
  })).toSorted((a, b) => (a.name < b.name ? -1 : 1))

const payloadSchema = (schema: Schema.Codec<unknown, unknown>): Schema.Json => {
  // A signal from outside with an unknown field is rejected.
  const options = { onExcessProperty: "error" } as const
  const { schema: root, definitions } = Schema.toJsonSchemaDocument(Schema.toCodecJson(schema), options)
  // A JSON Schema is JSON.
  return (Object.keys(definitions).length === 0 ? root : { ...root, $defs: definitions }) as Schema.Json
}
