// Receives the runtime that a run asks for, the mode of its session and the server's settings; decides which runtime answers
// the run.
// Invariant: a decision is made once, when the run's turn starts; a session that plays a recording never sends a request to
// the model.
import { type Env, isOffline } from "../../schemas/env.ts"
import { CLIENT_RUNTIME, isRunRuntime, type RunRuntime } from "../../schemas/runs/run-runtime.ts"
import type { SessionRuntime } from "../../schemas/sdk/options/session-runtime.ts"

export interface WantedRuntime {
  readonly runtime?: RunRuntime
  readonly recording?: string
}

type RuntimeEnv = Pick<Env, "ANTHROPIC_API_KEY" | "ANTHROPIC_BASE_URL" | "PERCH_RUNTIME">

/** `fault`: why the run can't start, in one sentence. */
export interface RuntimeDecision {
  readonly runtime: RunRuntime
  readonly fault?: string
}

/** Why no turn of the session can have the runtime that the run asks for; undefined when it can. */
export const runtimeConflict = (wanted: WantedRuntime, session: SessionRuntime | undefined): string | undefined => {
  const { runtime, recording } = wanted
  const { mode = "live", recording: own } = session ?? {}
  if (runtime === undefined) return undefined
  if (mode === "playback") {
    if (runtime === "playback" && (recording === undefined || recording === own)) return undefined
    return `runtime: the session plays the recording ${own}, and can't do anything else. Create another session.`
  }
  if (mode === "record") {
    return runtime === "record"
      ? undefined
      : `runtime: the session is recorded, and ${runtime} would break its recording. Create another session.`
  }
  return runtime === "record" || runtime === "playback"
    ? `runtime: ${runtime} is decided by the run that creates a session, and this session was created without it. Create another session.`
    : undefined
}

/** Call it when the run's turn starts. */
export const decideRuntime = (
  wanted: WantedRuntime,
  session: SessionRuntime | undefined,
  env: RuntimeEnv,
): RuntimeDecision => {
  const fault = runtimeConflict(wanted, session)
  // A session's own mode is set at its creation, and overrides the server's setting.
  if (session !== undefined && session.mode !== "live")
    return { runtime: session.mode, ...(fault === undefined ? {} : { fault }) }
  if (fault !== undefined) return { runtime: wanted.runtime ?? "live", fault }
  const { PERCH_RUNTIME: setting = "" } = env
  if (wanted.runtime === undefined && setting !== "") {
    if (!isRunRuntime(setting) || setting === "playback") return { runtime: "live", fault: settingFault(setting) }
    // `record` does not apply here: a session is recorded from its creation or not at all.
    if (setting === "live" || setting === "offline") return answered(setting, env)
  }
  return answered(wanted.runtime ?? (isOffline(env) ? "offline" : "live"), env)
}

const answered = (runtime: RunRuntime, env: RuntimeEnv): RuntimeDecision =>
  runtime === "live" && isOffline(env)
    ? { runtime, fault: "runtime: this server has no live model. Set ANTHROPIC_API_KEY, or use offline." }
    : { runtime }

const settingFault = (setting: string): string =>
  setting === CLIENT_RUNTIME
    ? "PERCH_RUNTIME: claude-sdk is a runtime of runEmbeddedAgent, in the process that calls it. Set live, offline or record for the server."
    : setting === "playback"
      ? "PERCH_RUNTIME: a playback needs a recording, so each run has to request it. Set live, offline or record."
      : `PERCH_RUNTIME: ${JSON.stringify(setting.slice(0, 40))} is not a runtime. Set live, offline or record.`
