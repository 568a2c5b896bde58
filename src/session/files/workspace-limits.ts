// The limits of a session's workspace: receives the session's options and the deployment's setting; returns the quotas.
// Invariant: a session may lower the deployment's limits, and never raises them.
import * as Schema from "effect/Schema"
import type { FilesPage } from "../../schemas/rpc/files.ts"
import { type SessionOptions, WorkspaceLimits } from "../../schemas/sdk/options/options.ts"
import type { Quotas } from "../../workspace/tree/tree-quotas.ts"
import type { Workspace } from "../../workspace/workspace.ts"

/** The quotas in force, as pages of files have them. */
export const limitsOf = ({ quotas }: Workspace): FilesPage["limits"] => {
  const { maxFiles, maxBytes, maxFileBytes } = quotas
  return { files: maxFiles, bytes: maxBytes, file_bytes: maxFileBytes }
}

const decodeLimits = Schema.decodeUnknownSync(Schema.fromJsonString(WorkspaceLimits), { onExcessProperty: "error" })

/**
 * The deployment's limits of any workspace, from its setting PERCH_WORKSPACE_LIMITS: JSON as `workspace_limits`. Throws on a
 * setting that can't be read, so that no intended limit is ignored.
 */
export const ceilingOf = (setting: string | undefined): WorkspaceLimits => {
  if (setting === undefined || setting.trim() === "") return {}
  try {
    return decodeLimits(setting)
  } catch {
    // The schema's own message would repeat the setting.
    throw new Error('PERCH_WORKSPACE_LIMITS must be JSON such as {"files":1000,"bytes":1048576,"file_bytes":65536}')
  }
}

const lower = (a: number | undefined, b: number | undefined): number => Math.min(a ?? Infinity, b ?? Infinity)

/** The workspace's quotas: for each, the lower of the session's and the deployment's limit. */
export const quotasOf = ({ workspace_limits: asked = {} }: SessionOptions, ceiling: WorkspaceLimits = {}): Quotas => ({
  maxFiles: lower(asked.files, ceiling.files),
  maxBytes: lower(asked.bytes, ceiling.bytes),
  maxFileBytes: lower(asked.file_bytes, ceiling.file_bytes),
})
