// The inputs of the hook events around the turns: models, tasks, elicitations, settings, folders, files.
// Invariant: every field of the SDK's types is here under its name.
import * as Schema from "effect/Schema"
import { hookInput as hook } from "./hook-base.ts"
import { AnyRecord } from "../open.ts"

const opt = Schema.optionalKey

const modelSwitch = {
  from_model: Schema.String,
  to_model: Schema.String,
  requested_model: Schema.NullOr(Schema.String),
  context_tokens: Schema.Finite,
  prompt_cache_warm: Schema.Boolean,
  cache_ttl: Schema.Literals(["5m", "1h"]),
  estimated_cache_write_usd: Schema.Finite,
  pricing: Schema.Literals(["configured", "catalog", "default"]),
}

const task = {
  task_id: Schema.String,
  task_subject: Schema.String,
  task_description: opt(Schema.String),
  teammate_name: opt(Schema.String),
  team_name: opt(Schema.String),
}

/** Inputs by event. */
export const HostHooks = {
  PreModelSwitch: hook("PreModelSwitch", { ...modelSwitch, source: Schema.Literals(["command", "picker", "sdk"]) }),
  PostModelSwitch: hook("PostModelSwitch", {
    ...modelSwitch,
    source: Schema.Literals(["command", "picker", "sdk", "auto", "resume"]),
  }),
  Setup: hook("Setup", { trigger: Schema.Literals(["init", "maintenance"]) }),
  TeammateIdle: hook("TeammateIdle", { teammate_name: Schema.String, team_name: Schema.String }),
  TaskCreated: hook("TaskCreated", task),
  TaskCompleted: hook("TaskCompleted", task),
  Elicitation: hook("Elicitation", {
    mcp_server_name: Schema.String,
    message: Schema.String,
    mode: opt(Schema.Literals(["form", "url"])),
    url: opt(Schema.String),
    elicitation_id: opt(Schema.String),
    requested_schema: opt(AnyRecord),
  }),
  ElicitationResult: hook("ElicitationResult", {
    mcp_server_name: Schema.String,
    elicitation_id: opt(Schema.String),
    mode: opt(Schema.Literals(["form", "url"])),
    action: Schema.Literals(["accept", "decline", "cancel"]),
    content: opt(AnyRecord),
  }),
  ConfigChange: hook("ConfigChange", {
    source: Schema.Literals(["user_settings", "project_settings", "local_settings", "policy_settings", "skills"]),
    file_path: opt(Schema.String),
  }),
  InstructionsLoaded: hook("InstructionsLoaded", {
    file_path: Schema.String,
    memory_type: Schema.Literals(["User", "Project", "Local", "Managed"]),
    load_reason: Schema.Literals(["session_start", "nested_traversal", "path_glob_match", "include", "compact"]),
    globs: opt(Schema.Array(Schema.String)),
    trigger_file_path: opt(Schema.String),
    parent_file_path: opt(Schema.String),
  }),
  WorktreeCreate: hook("WorktreeCreate", { name: Schema.String }),
  WorktreeRemove: hook("WorktreeRemove", { worktree_path: Schema.String }),
  CwdChanged: hook("CwdChanged", { old_cwd: Schema.String, new_cwd: Schema.String }),
  FileChanged: hook("FileChanged", { file_path: Schema.String, event: Schema.Literals(["change", "add", "unlink"]) }),
  DirectoryAdded: hook("DirectoryAdded", {
    directory: Schema.String,
    source: Schema.Literals(["slash_command", "register_repo_root"]),
  }),
}
