// What the fields of routed prompts mean.
import type { Glossary } from "./glossary.ts"

export const ROUTER_WORDS: Glossary = {
  route: ["Which agent carries the prompt out; `auto` lets the router decide.", "auto"],
  subtask: ["The prompt as a subtask; without it the prompt is its description."],
  "Subtask.id": ["Names the subtask in the result.", "oa-1"],
  "Subtask.description": ["What is to be done: the router judges it.", "Refactor the parser"],
  labels: ["Labels, which may force a route.", ["complex"]],
  claudeCode: ["How prompts with a route are routed."],
  "ClaudeCodeConfig.enabled": ["False: everything goes to the minimal agent.", true],
  preferForComplexTasks: ["False: the full agent takes what no label forces.", true],
  maxTurnsPerSubtask: ["Model requests of the full agent.", 30],
  fallbackToMinimal: ["Whether the minimal agent follows when the full one fails.", true],
  complexityThreshold: ["From 0 to 1: a score above it goes to the full agent.", 0.6],
  forceMinimalLabels: ["Labels of subtasks for the minimal agent.", ["simple"]],
  forceClaudeCodeLabels: ["Labels of subtasks for the full agent.", ["complex"]],
}
