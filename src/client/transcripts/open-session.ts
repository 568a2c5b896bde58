// Opens the session of a run on the server; a session that only this machine has is created there from its transcript.
import type { Launch } from "../launch/launch.ts"
import { LaunchError } from "../launch/launch-error.ts"
import type { OpenedSession, PerchServer } from "../server.ts"
import type { Mirror } from "./mirror.ts"

/** Opens the session. One to resume that the server does not have is created there with the history of its local transcript. */
export const openSession = async (
  server: PerchServer,
  { body }: Launch,
  mirror: Mirror | undefined,
  signal: AbortSignal,
): Promise<OpenedSession> => {
  try {
    return await server.open(body, signal)
  } catch (error) {
    const { resume, resumeSessionAt: at, forkSession: fork, ...options } = body.options
    if (!(error instanceof LaunchError) || error.status !== 404 || typeof resume !== "string") throw error
    const history = mirror?.historyOf(resume, typeof at === "string" ? at : undefined)
    if (history === undefined) throw error
    const { on_exists: _, id, ...rest } = body
    const named = fork === true ? id : resume
    const request = { ...rest, ...(named === undefined ? {} : { id: named }), options, history }
    return await server.open(request, signal)
  }
}
