// The path of a file tool as hooks, users and denials get it: absolute, as in the official SDK, however the model wrote it. A hook that
// compares it with a directory can't be bypassed by a relative path.
import { expect, it } from "vitest"
import type { HookTable } from "../../support/session/session-client.ts"
import { DONE, loop, payloadsOf, resultOf } from "../../support/session/loop.ts"
import { call, promptFor } from "../../support/session/scripts.ts"
import { eventsOf, prompt } from "../../support/session/session-harness.ts"

const { connected, scripted } = loop()

const ran = async (uses: ReadonlyArray<ReturnType<typeof call>>, hooks: HookTable, answer: object | "echo") => {
  const { client, session, workspace, idle, log } = await connected(
    { PreToolUse: {}, PostToolUse: {}, ...hooks },
    { permissionMode: "default" },
  )
  const asked: Array<unknown> = []
  client.onAsk = ({ input }) => {
    asked.push((input as { readonly file_path: string }).file_path)
    return answer === "echo" ? { behavior: "allow", updatedInput: input } : { ...answer }
  }
  workspace.writeBytes("/workspace/a.txt", "one\n")
  prompt(session, promptFor(scripted([...uses.map((use) => ({ content: [use] })), DONE])))
  await idle()
  const events = eventsOf(log)
  const inputs = (event: string) =>
    client.called
      .filter(({ input }) => input["hook_event_name"] === event)
      .map(({ input }) => (input["tool_input"] as { readonly file_path: string }).file_path)
  return { asked, events, inputs, workspace, result: resultOf(events) }
}

const write = (path: string) => call("Write", { file_path: path, content: "x" })

it("hooks and users get the absolute path, and messages the one that the model wrote", async () => {
  const uses = [
    call("Read", { file_path: "a.txt" }),
    call("Edit", { file_path: "sub/../a.txt", old_string: "one", new_string: "two" }),
    write("~/new.txt"),
  ]
  const { asked, events, inputs, workspace } = await ran(uses, {}, "echo")
  expect(inputs("PreToolUse")).toEqual(["/workspace/a.txt", "/workspace/a.txt", "/workspace/new.txt"])
  expect(asked).toEqual(["/workspace/a.txt", "/workspace/new.txt"])
  expect(inputs("PostToolUse")).toEqual(["/workspace/a.txt", "/workspace/a.txt", "/workspace/new.txt"])
  expect(workspace.readText("/workspace/new.txt")).toBe("x")
  expect(workspace.readText("/workspace/a.txt")).toBe("two\n")
  const written = payloadsOf(events, "sdk:assistant").flatMap(({ message }) =>
    (message as { readonly content: ReadonlyArray<Readonly<Record<string, unknown>>> }).content.flatMap((block) =>
      block["type"] === "tool_use" ? [block["input"]] : [],
    ),
  )
  expect(written).toEqual(uses.map(({ input }) => input))
})

it("the path of a denied call is absolute in the result", async () => {
  const { asked, result } = await ran([write("sub/../n.txt")], {}, { behavior: "deny", message: "no" })
  expect(asked).toEqual(["/workspace/n.txt"])
  expect(result["permission_denials"]).toMatchObject([{ tool_input: { file_path: "/workspace/n.txt", content: "x" } }])
})

it("the path that a PreToolUse hook sets is resolved before anyone is asked", async () => {
  const moved = {
    hookSpecificOutput: { hookEventName: "PreToolUse", updatedInput: { file_path: "sub/../moved.txt", content: "y" } },
  }
  const { asked, inputs, workspace } = await ran([write("n.txt")], { PreToolUse: moved }, "echo")
  expect(asked).toEqual(["/workspace/moved.txt"])
  expect(inputs("PostToolUse")).toEqual(["/workspace/moved.txt"])
  expect(workspace.readText("/workspace/moved.txt")).toBe("y")
})

it("the path that a user sets is resolved like one that the model wrote", async () => {
  const answer = { behavior: "allow", updatedInput: { file_path: "~/sub/../u.txt", content: "u" } }
  const { inputs, workspace } = await ran([write("n.txt")], {}, answer)
  expect(inputs("PostToolUse")).toEqual(["/workspace/u.txt"])
  expect(workspace.readText("/workspace/u.txt")).toBe("u")
})
