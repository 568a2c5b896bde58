// Each field of each control request, user message, option, setting and hook event has its class: honoured, harmless for a
// documented reason, or refused. The tables are compared with our schemas (which `test/types` compares with the SDK's types)
// and with the text of the SDK itself.
import { HOOK_EVENTS as SDK_EVENTS } from "@anthropic-ai/claude-agent-sdk"
import { describe, expect, it } from "vitest"
import { ClientRequests } from "../../src/schemas/sdk/control/control-requests.ts"
import { ControlAsks } from "../../src/schemas/sdk/control/control-asks.ts"
import { HOOK_EVENTS } from "../../src/schemas/sdk/hooks/hooks.ts"
import { SDKUserMessage } from "../../src/schemas/sdk/messages/messages-conversation.ts"
import { SessionOptions, SessionSettings } from "../../src/schemas/sdk/options/options.ts"
import { HOOK_STATUS } from "../../src/schemas/sdk/status/hook-status.ts"
import { OPTION_STATUS } from "../../src/schemas/sdk/status/option-status.ts"
import { PROMPT_FIELDS } from "../../src/schemas/sdk/status/prompt-status.ts"
import { REQUEST_STATUS, type RequestStatus } from "../../src/schemas/sdk/status/request-status.ts"
import { optionsPage } from "./options-page.ts"
import { fieldsOf, initializeFieldsSent, isClassified, pathsOf } from "./sdk-fields.ts"

const requests: ReadonlyArray<readonly [string, RequestStatus]> = Object.entries(REQUEST_STATUS)

describe("every field has its class", () => {
  it("of every control request in our schemas, and no rule is about a field that is never sent", () => {
    expect(Object.keys(REQUEST_STATUS).sort()).toEqual([...Object.keys(ClientRequests), "mcp_message"].sort())
    let count = 0
    for (const [subtype, { status, note, fields }] of requests) {
      expect(note, subtype).not.toBe("")
      if (status === "refused") continue
      const schema = { ...ClientRequests, mcp_message: ControlAsks.mcp_message }[subtype as keyof typeof ClientRequests]
      const paths = pathsOf(schema.ast).filter((path) => path !== "subtype")
      for (const path of paths) expect(isClassified(fields, path), `${subtype}.${path}`).toBe(true)
      count += paths.length
      const typed = (path: string) => paths.some((known) => known === path || known.startsWith(`${path}.`))
      const sent = subtype === "initialize" ? initializeFieldsSent() : []
      for (const path of Object.keys(fields)) {
        const known =
          typed(path) || sent.includes(path) || path.endsWith("disableAutoBackground") || path.includes("settings.")
        expect(known, `${subtype}.${path}`).toBe(true)
      }
    }
    expect(count).toBeGreaterThan(250)
  })

  it("of the initialize that the SDK's own client sends, including those without a type", () => {
    const sent = initializeFieldsSent()
    expect(sent.length).toBeGreaterThan(30)
    for (const name of sent) expect(Object.keys(REQUEST_STATUS.initialize.fields), name).toContain(name)
  })

  it("of user messages, in our schema and the SDK's types", () => {
    const names = new Set([...pathsOf(SDKUserMessage.ast), ...fieldsOf("SDKUserMessage")])
    for (const path of names) expect(isClassified(PROMPT_FIELDS, path), path).toBe(true)
  })

  it("of the options in the SDK's types", () => {
    expect(Object.keys(OPTION_STATUS).sort()).toEqual(fieldsOf("Options").toSorted())
    for (const [name, { status }] of Object.entries(OPTION_STATUS)) {
      if (Object.hasOwn(SessionOptions.fields, name)) expect(status, name).toBe("honoured")
    }
  })

  it("of the settings: those that a session has are honoured", () => {
    for (const path of pathsOf(SessionSettings.ast)) {
      expect(isClassified(REQUEST_STATUS.apply_flag_settings.fields, `settings.${path}`), path).toBe(true)
    }
  })

  it("of the hook events, all that the SDK and its later versions name", () => {
    const events = [...SDK_EVENTS, "PreSkillShellCommand"].toSorted()
    expect(Object.keys(HOOK_STATUS).sort()).toEqual(events)
    expect([...HOOK_EVENTS].toSorted()).toEqual(events)
  })
})

describe("docs/options.md", () => {
  it("is generated from these tables: `npx vitest run --project node test/conformance/fields.test.ts -u` writes it", async () => {
    await expect(optionsPage()).toMatchFileSnapshot("../../docs/options.md")
  })
})
