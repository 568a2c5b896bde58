// What the fields of routed prompts mean.
import type { Glossary } from "./glossary.ts"

export const ROUTER_WORDS: Glossary = {
  "#Router": ["Stored settings of the router."],
  route: ["Which agent runs the prompt; `auto` lets the router decide.", "auto"],
  subtask: ["The subtask; without it the prompt is the subtask's description."],
  "Subtask.id": ["The id of the subtask in the result.", "oa-1"],
  "Subtask.description": ["What is to be done; the router scores its complexity.", "Refactor the parser"],
  labels: ["Labels, which may force a route.", ["complex"]],
  claudeCode: ["How prompts with a route are routed."],
  "ClaudeCodeConfig.enabled": ["False routes everything to the minimal agent.", true],
  preferForComplexTasks: ["False routes everything that no label forces to the full agent.", true],
  maxTurnsPerSubtask: ["Maximum number of model requests of the full agent.", 30],
  fallbackToMinimal: ["Whether the minimal agent runs after the full one has failed.", true],
  complexityThreshold: ["From 0 to 1: subtasks with a score above it are routed to the full agent.", 0.6],
  forceMinimalLabels: ["Labels of subtasks for the minimal agent.", ["simple"]],
  forceClaudeCodeLabels: ["Labels of subtasks for the full agent.", ["complex"]],
}
