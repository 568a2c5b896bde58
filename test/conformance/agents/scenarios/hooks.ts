// Hooks around agents and inside them.
import type { HookInput } from "@anthropic-ai/claude-agent-sdk"
import { agents, bash, calls, delegate, done, type Scenario, says, type Step } from "../scenario.ts"

const echoes = (name: string, hooks: Step["hooks"], more: Partial<Scenario> = {}): Scenario => ({
  name,
  script: [calls(delegate("t1", `${name}-sub`)), done],
  scripts: { [`${name}-sub`]: [calls(bash("s1", "echo inside")), says("Sub result text."), says("After the hook.")] },
  options: { agents },
  ...(hooks === undefined ? {} : { hooks }),
  ...more,
})

const isTool = (input: HookInput, name: string): boolean => "tool_name" in input && input.tool_name === name

export const HOOKS: ReadonlyArray<Scenario> = [
  echoes("agent-hook-denies-the-call", {
    PreToolUse: (input) =>
      isTool(input, "Agent")
        ? {
            hookSpecificOutput: {
              hookEventName: "PreToolUse",
              permissionDecision: "deny",
              permissionDecisionReason: "No agents today.",
            },
          }
        : {},
  }),
  echoes("agent-hook-changes-the-prompt", {
    PreToolUse: (input) =>
      isTool(input, "Agent")
        ? {
            hookSpecificOutput: {
              hookEventName: "PreToolUse",
              permissionDecision: "allow",
              updatedInput: {
                description: "changed",
                subagent_type: "helper",
                run_in_background: false,
                prompt: "[[script:agent-hook-changes-the-prompt-sub]] changed prompt",
              },
            },
          }
        : {},
  }),
  echoes("agent-hook-denies-inside", {
    PreToolUse: (input) =>
      isTool(input, "Bash")
        ? {
            hookSpecificOutput: {
              hookEventName: "PreToolUse",
              permissionDecision: "deny",
              permissionDecisionReason: "No shell in here.",
            },
          }
        : {},
  }),
  echoes("agent-hook-context-inside", {
    PostToolUse: (input) =>
      isTool(input, "Bash")
        ? { hookSpecificOutput: { hookEventName: "PostToolUse", additionalContext: "context of the shell" } }
        : {},
  }),
  echoes("agent-hook-context-of-the-call", {
    PostToolUse: (input) =>
      isTool(input, "Agent")
        ? { hookSpecificOutput: { hookEventName: "PostToolUse", additionalContext: "context of the agent" } }
        : {},
  }),
  echoes("agent-hook-blocks-after-the-call", {
    PostToolUse: (input) => (isTool(input, "Agent") ? { decision: "block", reason: "Look again at it." } : {}),
  }),
  echoes("agent-start-hook-context", {
    SubagentStart: () => ({
      hookSpecificOutput: { hookEventName: "SubagentStart", additionalContext: "context of the start" },
    }),
  }),
  echoes("agent-stop-hook-blocks-once", {
    SubagentStop: (input) =>
      "stop_hook_active" in input && !input.stop_hook_active ? { decision: "block", reason: "Go on a little." } : {},
  }),
  echoes("agent-stop-hook-context", {
    SubagentStop: (input) =>
      "stop_hook_active" in input && !input.stop_hook_active
        ? { hookSpecificOutput: { hookEventName: "SubagentStop", additionalContext: "context of the stop" } }
        : {},
  }),
  echoes("agent-stop-hook-ends-it-all", {
    SubagentStop: () => ({ continue: false, stopReason: "Enough of it." }),
  }),
  echoes("agent-batch-hook-context-inside", {
    PostToolBatch: (input) =>
      "agent_id" in input && input.agent_id !== undefined
        ? { hookSpecificOutput: { hookEventName: "PostToolBatch", additionalContext: "context of the batch" } }
        : {},
  }),
  echoes("agent-hook-message", {
    PreToolUse: (input) => (isTool(input, "Bash") ? { systemMessage: "A shell is about to run." } : {}),
  }),
  echoes("agent-hook-stops-inside", {
    PostToolUse: (input) => (isTool(input, "Bash") ? { continue: false, stopReason: "That is enough." } : {}),
  }),
]
