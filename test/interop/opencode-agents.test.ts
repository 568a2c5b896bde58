// opencode's agents converted to the SDK's.
import { expect, it } from "vitest"
import { type OpencodeAgent, opencodeAgents } from "../../src/interop/opencode-agents.ts"

const rule = (permission: string, action = "allow") => ({ permission, action })

const TABLE: ReadonlyArray<
  readonly [title: string, agent: Omit<OpencodeAgent, "name">, definition: object | undefined]
> = [
  ["a primary agent is left out", { mode: "primary" }, undefined],
  ["a hidden agent is left out", { mode: "subagent", hidden: true }, undefined],
  ["defaults", {}, { description: "a agent", prompt: "", tools: [] }],
  ["its own texts", { description: "d", prompt: "p" }, { description: "d", prompt: "p", tools: [] }],
  ["mode all is kept", { mode: "all" }, { description: "a agent", prompt: "", tools: [] }],
  ["all tools", { permission: [rule("bash", "deny"), rule("*")] }, { description: "a agent", prompt: "" }],
  ["all tools and more", { permission: [rule("*"), rule("grep")] }, { description: "a agent", prompt: "" }],
  [
    "named tools, each once",
    { permission: [rule("grep"), rule("read"), rule("grep"), rule("edit", "ask"), rule("*", "deny")] },
    { description: "a agent", prompt: "", tools: ["Grep", "Read"] },
  ],
  ["no rule allows", { permission: [rule("*", "deny")] }, { description: "a agent", prompt: "", tools: [] }],
  ...(
    [
      ["claude-opus-4-5", "opus"],
      ["anthropic/claude-haiku-4-5", "haiku"],
      ["claude-sonnet-4-5", "sonnet"],
      ["gpt-5", "sonnet"],
    ] as const
  ).map(
    ([modelID, model]) =>
      [
        `the model ${modelID}`,
        { model: { modelID } },
        { description: "a agent", prompt: "", tools: [], model },
      ] as const,
  ),
  ["no model", { model: {} }, { description: "a agent", prompt: "", tools: [] }],
]

it.each(TABLE)("%s", (_title, agent, definition) => {
  expect(opencodeAgents([{ name: "a", ...agent }])).toEqual(definition === undefined ? {} : { a: definition })
})
