// Receives a session; returns the parts of its project in the model's context: instructions, skills, and agents that it may call.
// Invariant: everything listed was sent to the model, or is sent with the next request.

import { sumOf } from "../../model/catalogue/context-usage.ts"
import { estimateTokens, tokensOfLength } from "../../model/catalogue/estimate.ts"
import type { SDKControlGetContextUsageResponse } from "../../schemas/sdk/control/context-report.ts"
import type { SessionCore } from "../core.ts"
import { projectSkills } from "../project/project-files.ts"

type Lists = Pick<SDKControlGetContextUsageResponse, "agents" | "memoryFiles" | "skills">

export const contextLists = (core: SessionCore): Lists => {
  const { definitions, memory } = core
  const listed = memory.project.skills ?? []
  const skillFrontmatter = listed.map(({ name, description }) => ({
    name,
    source: "projectSettings",
    tokens: estimateTokens(`- ${name}: ${description}\n`),
  }))
  return {
    memoryFiles: memoryFilesOf(core),
    agents: definitions.agents.flatMap(({ name, description, source }) =>
      source === "built-in"
        ? []
        : [{ agentType: name, source: SOURCES[source], tokens: estimateTokens(`- ${name}: ${description}\n`) }],
    ),
    skills: {
      totalSkills: Math.max(listed.length, projectSkills(core).length),
      includedSkills: listed.length,
      tokens: sumOf(skillFrontmatter),
      skillFrontmatter,
    },
  }
}

/** The source of an agent in the official SDK's terms. */
const SOURCES = { options: "flagSettings", project: "projectSettings", stored: "policySettings" } as const

/** Removed files are omitted: from the next turn on they are not sent. */
const memoryFilesOf = ({ memory, workspace }: SessionCore): Lists["memoryFiles"] =>
  [...memory.project.instructions.keys()].flatMap((path) =>
    workspace.exists(path)
      ? [{ path, type: LOCAL.test(path) ? "Local" : "Project", tokens: tokensOfLength(workspace.stat(path).size) }]
      : [],
  )

const LOCAL = /\/CLAUDE\.local\.md$/
