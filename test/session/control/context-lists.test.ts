// What a session's project brings into the model's context, as clients get it.
import { expect, it } from "vitest"
import { DONE, loop } from "../../support/session/loop.ts"
import { PROJECT, projectSession } from "../../support/session/project-session.ts"

const setting = loop()

interface Usage {
  readonly categories: ReadonlyArray<{ readonly id: string; readonly tokens: number; readonly kind: string }>
  readonly totalTokens: number
  readonly maxTokens: number
}

const FILES = {
  "CLAUDE.md": "Say it in few words.",
  "CLAUDE.local.md": "And in English.",
  ".claude/skills/tidy/SKILL.md": "---\nname: tidy\ndescription: tidies things up\n---\nTidy.",
  ".claude/agents/rev.md": "---\nname: rev\ndescription: reviews a change\n---\nReview.",
}

it("instructions, skills and agents of the project are listed, and the categories add up", async () => {
  const options = { ...PROJECT, agents: { helper: { description: "Helps.", prompt: "You help." } } }
  const { client, ask } = await projectSession(setting, FILES, options)
  const usage = async () => (await client.request("get_context_usage"))["response"] as Usage
  expect(await usage()).toMatchObject({ memoryFiles: [], skills: { totalSkills: 1, includedSkills: 0 } })
  await ask([{ ...DONE, usage: { input_tokens: 20_000 } }])
  const after = await usage()
  expect(after).toMatchObject({
    memoryFiles: [
      { path: "/workspace/CLAUDE.md", type: "Project", tokens: 5 },
      { path: "/workspace/CLAUDE.local.md", type: "Local", tokens: 4 },
    ],
    agents: [
      { agentType: "helper", source: "flagSettings" },
      { agentType: "rev", source: "projectSettings" },
    ],
    skills: {
      totalSkills: 1,
      includedSkills: 1,
      tokens: 6,
      skillFrontmatter: [{ name: "tidy", source: "projectSettings", tokens: 6 }],
    },
  })
  const of = (id: string) => after.categories.find((category) => category.id === id)?.tokens
  expect([of("memory_files"), of("skills")]).toEqual([9, 6])
  expect(after.categories.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(after.maxTokens)
  expect(after.categories.reduce((sum, { kind, tokens }) => (kind === "used" ? sum + tokens : sum), 0)).toBe(
    after.totalTokens,
  )
})
