// What `perch/interop` exports: the router between the full agent and the minimal one, its schemas, those of the bridge
// between a run and its app, and opencode's agents as the SDK's.
// Invariant: plain code that needs nothing of a server; its types name nothing but effect.
export * from "../schemas/interop/bridge.ts"
export * from "../schemas/interop/claude-code-config.ts"
export * from "../schemas/interop/subtask.ts"
export * from "./complexity.ts"
export * from "./detect.ts"
export * from "./opencode-agents.ts"
export * from "./router.ts"
export * from "./run-subagent.ts"
