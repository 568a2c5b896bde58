// Calls of the shell: their parts show that it is a sandbox, and what it denied their scripts.
import { describe, expect, it } from "vitest"
import type { ToolPart } from "../../../src/schemas/parts.ts"
import type { SessionOptions } from "../../../src/schemas/sdk/options/options.ts"
import { BYPASS, DONE, loop, payloadsOf } from "../../support/session/loop.ts"
import { call } from "../../support/session/scripts.ts"
import { SESSION_ID } from "../../support/session/session-harness.ts"
import { projectParts } from "../../support/values/project-parts.ts"

const { finish } = loop()

const ran = async (command: string, options: SessionOptions = BYPASS) => {
  const bash = call("Bash", { command, description: "Run" })
  const { events } = await finish([{ content: [bash] }, DONE], {}, options)
  const [part] = projectParts(SESSION_ID, events())
    .flatMap(({ parts }) => parts)
    .filter((one): one is ToolPart => one.type === "tool")
  return { metadata: part?.metadata, state: part?.state, facts: payloadsOf(events(), "sandbox:violated") }
}

describe("a call of the shell", () => {
  it("is sandboxed, and without a violation adds no event", async () => {
    const { metadata, facts } = await ran("echo 'bash: python: command not found' >&2; f() { return 127; }; f; true")
    expect(metadata).toEqual({ sandboxed: true })
    expect(facts).toEqual([])
  })

  it("names the files that rules deny, with the rule's reason", async () => {
    const { metadata } = await ran("cat secret.txt; cat secret.txt", {
      ...BYPASS,
      disallowedTools: ["Read(secret.txt)"],
    })
    expect(metadata).toEqual({ sandboxed: true })
    const { metadata: met, state } = await ran("echo secret > secret.txt; for f in *; do cat $f; done", {
      ...BYPASS,
      disallowedTools: ["Read(secret.txt)"],
    })
    expect(met).toMatchObject({ sandboxed: true, sandboxViolations: [expect.stringMatching(/^file: .*secret\.txt/)] })
    expect(state?.status).toBe("error")
  })

  it("names missing programs, each once", async () => {
    const { metadata } = await ran("python x.py; f() { python y.py; }; f; git status | cat")
    expect(metadata).toEqual({
      sandboxed: true,
      sandboxViolations: [
        "command python: this shell has no such program",
        "command git: this shell has no such program",
      ],
    })
  })

  it("names the addresses that may not be fetched", async () => {
    const options: SessionOptions = {
      ...BYPASS,
      shell_network: true,
      disallowedTools: ["WebFetch(domain:example.com)"],
    }
    const { metadata } = await ran("u=https://example.com/x; curl -s $u; curl -s http://10.0.0.1/", options)
    expect(metadata).toEqual({
      sandboxed: true,
      sandboxViolations: [
        "network example.com: A permission rule denies this host.",
        expect.stringMatching(/^network 10\.0\.0\.1: /),
      ],
    })
    expect((await ran("curl https://example.com")).metadata).toMatchObject({
      sandboxViolations: ["command curl: this shell has no such program"],
    })
  })

  it("names at most ten", async () => {
    const { facts } = await ran("for i in $(seq 20); do prog$i; done; true")
    expect(facts[0]?.["violations"]).toHaveLength(10)
  })
})

it("a call of another tool is not marked", async () => {
  const write = call("Write", { file_path: "/workspace/a", content: "a" })
  const { events } = await finish([{ content: [write] }, DONE])
  const parts = projectParts(SESSION_ID, events()).flatMap(({ parts: all }) => all)
  expect(parts.find(({ type }) => type === "tool")).not.toHaveProperty("metadata")
})
