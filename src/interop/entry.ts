// What `perch/interop` exports: the router between the full agent and the minimal one, its schemas, those of the bridge
// between a run and its app, opencode's agents as those of the SDK, and runs with the parameters of a chat channel's runner.
// Invariant: plain code that needs no server to load; its types refer to no package but effect.
export * from "../schemas/interop/bridge.ts"
export * from "../schemas/interop/claude-code-config.ts"
export * from "../schemas/interop/subagent-run.ts"
export * from "../schemas/interop/subtask.ts"
export * from "./complexity.ts"
export * from "./detect.ts"
export * from "./embedded-runner.ts"
export * from "./opencode-agents.ts"
export * from "./router.ts"
export * from "./run-subagent.ts"
