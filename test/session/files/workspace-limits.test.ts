// The limits of a workspace: the session's own and the deployment's.
import { describe, expect, it } from "vitest"
import { ceilingOf, quotasOf } from "../../../src/session/files/workspace-limits.ts"
import { openWorkspace } from "../../workspace/sql-twin.ts"

describe("the deployment's limits", () => {
  it("apply whatever the session's options are, and never raise the session's own", () => {
    const ceiling = ceilingOf('{"files":100,"bytes":1000}')
    expect(quotasOf({ workspace_limits: { files: 500, bytes: 10, file_bytes: 5 } }, ceiling)).toEqual({
      maxFiles: 100,
      maxBytes: 10,
      maxFileBytes: 5,
    })
    const { workspace } = openWorkspace({ quotas: () => quotasOf({}, ceiling) })
    expect(workspace.quotas).toEqual({ maxFiles: 100, maxBytes: 1000, maxFileBytes: 32 << 20 })
  })

  it.each([undefined, "", " "])("are absent when the setting is %j", (setting) => {
    expect(ceilingOf(setting)).toEqual({})
  })

  it.each(["1000", "{", '{"files":-1}', '{"files":"many"}', '{"nodes":5}', '{"bytes":1e99}'])(
    "that can't be read are an error, not ignored: %s",
    (setting) => {
      expect(() => ceilingOf(setting)).toThrow("PERCH_WORKSPACE_LIMITS must be JSON")
    },
  )
})
