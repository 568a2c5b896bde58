// Receives the prompt's facts from a run's first event; returns them in the shape of a run result's system prompt report.
import type { PromptReport } from "../../schemas/runs/run-events.ts"
import type { SystemPromptReport } from "../../schemas/runs/run-result.ts"

export const systemPromptReport = (
  { cwd, files, skills, system_chars, tools }: PromptReport,
  run: Pick<SystemPromptReport, "generatedAt" | "sessionId" | "sessionKey" | "provider" | "model">,
): SystemPromptReport => {
  const sum = (counts: ReadonlyArray<number>): number => counts.reduce((all, one) => all + one, 0)
  const project = sum(files.map(({ chars }) => chars ?? 0))
  return {
    source: "run",
    ...run,
    workspaceDir: cwd,
    systemPrompt: { chars: system_chars + project, projectContextChars: project, nonProjectContextChars: system_chars },
    injectedWorkspaceFiles: files.map(({ path, chars }) => ({
      name: path.slice(path.lastIndexOf("/") + 1),
      path,
      missing: chars === null,
      rawChars: chars ?? 0,
      injectedChars: chars ?? 0,
      truncated: false,
    })),
    skills: {
      promptChars: sum(skills.map(({ chars }) => chars)),
      entries: skills.map(({ name, chars }) => ({ name, blockChars: chars })),
    },
    tools: {
      listChars: sum(tools.map(({ name, summary_chars: chars }) => name.length + chars)),
      schemaChars: sum(tools.map(({ schema_chars: chars }) => chars)),
      entries: tools.map(({ name, summary_chars, schema_chars, properties }) => ({
        name,
        summaryChars: summary_chars,
        schemaChars: schema_chars,
        propertiesCount: properties,
      })),
    },
  }
}
