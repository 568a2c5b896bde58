// The bindings of tests inside workerd: those of wrangler.toml, and the migrations that vitest.config.ts adds.
import type { D1Migration } from "@cloudflare/vitest-pool-workers"
import type { LaneObject } from "../src/limits/lanes/lane-object.ts"
import type { TenantObject } from "../src/limits/tenant-object.ts"
import type { RecordingObject } from "../src/recording/recording-object.ts"
import type { SessionObject } from "../src/session/session-object.ts"
import type { WorkflowObject } from "../src/signals/runs/workflow-object.ts"
import type * as Worker from "../src/worker.ts"

declare global {
  namespace Cloudflare {
    interface GlobalProps {
      mainModule: typeof Worker
    }
    interface Env {
      readonly SESSIONS: DurableObjectNamespace<SessionObject>
      readonly LANES: DurableObjectNamespace<LaneObject>
      readonly TENANTS: DurableObjectNamespace<TenantObject>
      readonly RECORDINGS: DurableObjectNamespace<RecordingObject>
      readonly WORKFLOWS: DurableObjectNamespace<WorkflowObject>
      readonly DB: D1Database
      readonly HOOKS: Queue
      readonly ASSETS: Fetcher
      readonly TEST_MIGRATIONS: D1Migration[]
      readonly PERCH_ROOT_KEY: string
    }
  }
}
