// The errors of a workflow's run.
// Invariant: every failure of a run is one of these, with a message that may be shown to the client that started the run; its
// cause is only in `cause`.
import * as Schema from "effect/Schema"
import type { RecordingNotFound } from "../recording/recording-not-found.ts"

const CAUSE = { message: Schema.String, cause: Schema.optionalKey(Schema.Defect()) }

/** The workflow itself is invalid, or a run has reached one of its limits. */
export class WorkflowError extends Schema.TaggedError<WorkflowError>()("WorkflowError", CAUSE) {}

/** A handler failed, or emitted an invalid signal. `signal` is the name of the signal that it handled. */
export class HandlerError extends Schema.TaggedError<HandlerError>()("HandlerError", {
  signal: Schema.String,
  ...CAUSE,
}) {}

/** An agent's turn failed, or its answer has signals that the agent may not emit. */
export class AgentError extends Schema.TaggedError<AgentError>()("AgentError", {
  agent: Schema.String,
  ...CAUSE,
}) {}

/** The model could not be reached, or failed to answer. */
export class HarnessError extends Schema.TaggedError<HarnessError>()("HarnessError", CAUSE) {}

/** A signal is malformed, or its payload does not match its definition. */
export class SignalError extends Schema.TaggedError<SignalError>()("SignalError", {
  signal: Schema.String,
  ...CAUSE,
}) {}

/** The message of a value that was thrown. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

export type AllErrors = WorkflowError | HandlerError | AgentError | HarnessError | RecordingNotFound
