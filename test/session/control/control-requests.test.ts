// Malformed frames of the control protocol: each request gets exactly one answer with its id, and the session keeps working.
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { promptFor, textAnswer } from "../../support/session/scripts.ts"
import { eventsOf, prompt } from "../../support/session/session-harness.ts"
import { CONTROL_SUBTYPES } from "../../../src/schemas/sdk/control/control.ts"
import { loop, until } from "../../support/session/loop.ts"

const made = loop()
const { connected, scripted } = made

describe("a request", () => {
  it("with an unknown subtype is rejected, and the error names the subtype", async () => {
    const { client } = await connected()
    expect(await client.request("teleport")).toMatchObject({
      subtype: "error",
      error: 'Perch does not support the request "teleport"',
      error_code: "unsupported_request",
    })
  })

  it("that the SDK has and Perch does not implement says so", async () => {
    const { client } = await connected()
    const asked = await Promise.all(
      CONTROL_SUBTYPES.map(async (subtype) => [subtype, await client.request(subtype, {})] as const),
    )
    for (const [subtype, answer] of asked) {
      expect(["success", "error"], subtype).toContain(answer["subtype"])
      if (answer["subtype"] === "error") expect(String(answer["error"]), subtype).not.toContain("inside the server")
    }
  })

  it("initialize with a title gives the session that title, and clients a message about a new one", async () => {
    const { client, log, session } = await connected()
    const announced = () => eventsOf(log).filter(({ name }) => name === "sdk:system/session_title_changed")
    for (const title of ["First", "First", "Second"]) await client.request("initialize", { title })
    expect(session.record.title).toBe("Second")
    expect(announced().map(({ payload }) => payload)).toMatchObject([{ title: "First" }, { title: "Second" }])
  })

  it("with fields of the wrong type is rejected, and the error names their path", async () => {
    const { client } = await connected()
    const refusals = [
      ["set_permission_mode", { mode: "sometimes" }, "set_permission_mode.mode: "],
      ["set_permission_mode", { mode: "bypassPermissions" }, "set_permission_mode.mode: "],
      ["set_model", { model: 1 }, "set_model.model: "],
      ["set_model", { model: "m".repeat(1001) }, "set_model.model: "],
      ["get_task_output", { task_id: "nope" }, "get_task_output.task_id: "],
      ["read_file", { path: "a", max_bytes: -1 }, "read_file.max_bytes: "],
      [
        "set_mcp_permission_mode_override",
        { serverName: "s".repeat(201), mode: "default" },
        "set_mcp_permission_mode_override.serverName: ",
      ],
      ["set_max_thinking_tokens", { max_thinking_tokens: -1 }, "set_max_thinking_tokens.max_thinking_tokens: "],
      ["rename_session", { title: "x", session_id: "y" }, "rename_session.session_id: "],
      ["mcp_set_servers", { servers: { a: 1 } }, "mcp_set_servers.servers.a: "],
      [
        "apply_flag_settings",
        { settings: { permissions: { deny: [1] } } },
        "apply_flag_settings.settings.permissions.deny[0]: ",
      ],
      ["initialize", { hooks: { Stop: [{ hookCallbackIds: "x" }] } }, "initialize.hooks.Stop[0].hookCallbackIds: "],
    ] as const
    for (const [subtype, fields, before] of refusals) {
      const { error } = await client.request(subtype, fields)
      expect([subtype, String(error).startsWith(before), error]).toEqual([subtype, true, error])
    }
  })

  it("gets exactly one answer whatever it contains, and the session keeps working", async () => {
    const { client, session, idle } = await connected()
    const shapes = fc.dictionary(
      fc.constantFrom(
        "mode",
        "model",
        "settings",
        "hooks",
        "servers",
        "path",
        "query",
        "title",
        "message_uuid",
        "user_message_id",
        "serverName",
        "sdkMcpServers",
        "max_thinking_tokens",
        "__proto__",
      ),
      fc.jsonValue(),
    )
    const subtypes = fc.oneof(
      fc.constantFrom(...CONTROL_SUBTYPES),
      fc.string(),
      fc.constantFrom("__proto__", "constructor", "toString"),
    )
    await fc.assert(
      fc.asyncProperty(subtypes, shapes, async (subtype, fields) => {
        const id = crypto.randomUUID()
        client.send({ type: "control_request", request_id: id, request: { ...fields, subtype } })
        await until(() => client.answersTo(id).length > 0)
        await new Promise((resolve) => setImmediate(resolve))
        expect(client.answersTo(id)).toHaveLength(1)
      }),
      { numRuns: 150 },
    )
    prompt(session, promptFor(scripted([textAnswer("Still here.")])), {
      model: "claude-opus-5-5",
      permissionMode: "default",
    })
    await idle()
    expect(session.state).toBe("idle")
  })
})

describe("a malformed frame", () => {
  it("changes nothing, and gets no answer but an error", async () => {
    const { client, log } = await connected()
    const before = [log.lastSeq, client.frames.length] as const
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.jsonValue(),
          fc.record({
            type: fc.constantFrom(
              "control_request",
              "control_response",
              "control_cancel_request",
              "keep_alive",
              "auth",
              "assistant",
              "nothing",
            ),
            request_id: fc.jsonValue(),
            response: fc.jsonValue(),
          }),
        ),
        async (frame) => {
          const id = typeof frame === "object" && frame !== null ? Reflect.get(frame, "request_id") : undefined
          fc.pre(typeof id !== "string")
          client.send(frame)
        },
      ),
      { numRuns: 200 },
    )
    await new Promise((resolve) => setImmediate(resolve))
    expect(log.lastSeq).toBe(before[0])
    for (const frame of client.frames.slice(before[1])) {
      expect(frame).toMatchObject({ type: "control_response", response: { subtype: "error", request_id: "" } })
    }
  })
})
