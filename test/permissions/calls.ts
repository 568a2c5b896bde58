// Calls as the loop passes them to the permission engine: what each tool declares, for the working directory /workspace.
import type { JudgedCall } from "../../src/permissions/decide.ts"
import { type Policy, policyOf } from "../../src/permissions/policy.ts"
import type { PermissionMode } from "../../src/schemas/sdk/options/permissions.ts"
import { bashTool } from "../../src/tools/bash/bash.ts"
import { analyzeShell } from "../../src/shell/syntax/analysis.ts"
import { compileGlob, GlobError } from "../../src/workspace/search/glob-pattern.ts"

export const CWD = "/workspace"

const matchesGlob = (glob: string, path: string): boolean | null => {
  try {
    return compileGlob(glob)(path.slice(1))
  } catch (error) {
    if (error instanceof GlobError) return null
    throw error
  }
}

export const call = (toolName: string, more: Partial<JudgedCall> = {}): JudgedCall => ({
  toolName,
  paths: [],
  cwd: CWD,
  matchesGlob,
  readOnly: false,
  edits: false,
  internal: false,
  ...more,
})

export const write = (path: string) => call("Write", { paths: [path], edits: true })
export const edit = (path: string) => call("Edit", { paths: [path], edits: true })
export const read = (path: string) => call("Read", { paths: [path], readOnly: true })
export const grep = (path: string) => call("Grep", { paths: [path], readOnly: true })

export const bash = (command: string) =>
  call("Bash", {
    command,
    paths: bashTool.paths({ command }, CWD),
    readOnly: bashTool.readOnly({ command }),
    edits: bashTool.edits({ command }),
    shell: analyzeShell(command, CWD),
  })

type Options = Parameters<typeof policyOf>[0]
type Rules = NonNullable<NonNullable<Options["settings"]>["permissions"]>

export const policy = (mode: PermissionMode, options: Options = {}): Policy =>
  policyOf({ permissionMode: mode, ...options }, [])

/** A policy with rules of the session's settings. */
export const ruled = (rules: Rules, mode: PermissionMode = "default"): Policy =>
  policy(mode, { settings: { permissions: rules } })
