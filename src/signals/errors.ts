// The errors of a workflow's run.
// Invariant: every failure of a run is one of these, with a message that can be shown to the client that started the run; what
// caused it stays in `cause`.
import * as Schema from "effect/Schema"
import type { RecordingNotFound } from "../recording/recording-not-found.ts"

const CAUSE = { message: Schema.String, cause: Schema.optionalKey(Schema.Defect()) }

/** The workflow itself is wrong, or a run met one of its limits. */
export class WorkflowError extends Schema.TaggedError<WorkflowError>()("WorkflowError", CAUSE) {}

/** A handler failed, or emitted what it may not. `signal` is the name of the signal that it handled. */
export class HandlerError extends Schema.TaggedError<HandlerError>()("HandlerError", {
  signal: Schema.String,
  ...CAUSE,
}) {}

/** An agent's turn failed, or its answer is none that the agent may give. */
export class AgentError extends Schema.TaggedError<AgentError>()("AgentError", {
  agent: Schema.String,
  ...CAUSE,
}) {}

/** The model's side of an agent failed. */
export class HarnessError extends Schema.TaggedError<HarnessError>()("HarnessError", CAUSE) {}

/** A payload does not fit the definition of its signal. */
export class SignalError extends Schema.TaggedError<SignalError>()("SignalError", {
  signal: Schema.String,
  ...CAUSE,
}) {}

export type AllErrors = WorkflowError | HandlerError | AgentError | HarnessError | RecordingNotFound
