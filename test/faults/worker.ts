// The real Worker with named moments to be killed at, and with a D1 and a Queue that fail on request. `POST /__faults` with a
// part of `Faults` sets the faults, `POST /__wake` with ids fires the alarms of these sessions now; this entry is never
// deployed.
import type { Env } from "../../src/schemas/env.ts"
import worker, { SessionObject as RealSession } from "../../src/worker.ts"
import { type Faults, faults, faultyEnv, reach, watchStorage } from "./fault-points.ts"

// The Worker's objects, except the one below.
export * from "../../src/worker.ts"

export class SessionObject extends RealSession {
  constructor(ctx: DurableObjectState, env: Env) {
    watchStorage(ctx.storage)
    super(ctx, faultyEnv(env, "session"))
  }

  /** Fires the alarm early. */
  wake(): Promise<void> {
    return this.alarm()
  }

  override async alarm(): Promise<void> {
    reach("alarm:before")
    await super.alarm()
    reach("alarm:after")
  }
}

export default {
  fetch: async (request, env, context) => {
    const { pathname } = new URL(request.url)
    if (pathname === "/__wake") {
      const ids = (await request.json()) as ReadonlyArray<string> // only the campaign sends it
      for (const id of ids) await (env.SESSIONS.getByName(`root/${id}`) as unknown as { wake(): Promise<void> }).wake()
      return Response.json({})
    }
    if (pathname !== "/__faults") return worker.fetch(request, faultyEnv(env, "worker"), context)
    Object.assign(faults, (await request.json()) as Partial<Faults>) // only the campaign sends them
    return Response.json(faults)
  },
  queue: async (batch, env) => {
    reach("consumer:before")
    await worker.queue(batch, faultyEnv(env, "worker"))
    reach("consumer:after")
  },
} satisfies ExportedHandler<Env>
