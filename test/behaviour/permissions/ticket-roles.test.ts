// Which control requests a ticket's client may send, by its roles, and a key's, by its scopes. Every case is sent to a real
// session.
import { describe, expect, it } from "vitest"
import { ROLES, SCOPES, type TicketRole } from "../../../src/schemas/access.ts"
import { CONTROL_SUBTYPES } from "../../../src/schemas/sdk/control/control.ts"
import { ClientRequests } from "../../../src/schemas/sdk/control/control-requests.ts"
import { ROLE_OF_REQUEST } from "../../../src/session/access/frame-roles.ts"
import { loop } from "../../support/session/loop.ts"
import { REQUESTS } from "./ticket-roles-table.ts"
import { joining, keyOf, refused, ticketOf } from "./actors.ts"

const made = loop()
const join = joining(made)

type Joined = ReturnType<typeof join>

const stateOf = ({ session, log, clients }: Joined) =>
  JSON.stringify([session.record, log.lastSeq, clients.registration.hooks, clients.registration.sdk_servers])

const GROUPS: ReadonlyArray<ReadonlyArray<TicketRole>> = [
  ...ROLES.map((role) => [role]),
  ["observe", "prompt", "answer"],
]

describe(`the ${CONTROL_SUBTYPES.length} control requests × ${GROUPS.length + 1} sets of roles`, () => {
  it("each is in the table, with the role that it needs", () => {
    expect(Object.keys(ROLE_OF_REQUEST).toSorted()).toEqual([...Object.keys(ClientRequests), "mcp_message"].toSorted())
  })

  it.each([...GROUPS, [...ROLES]])(
    "a ticket with %s may send what its roles allow and changes nothing with other requests",
    async (...roles) => {
      // Nothing is set that a ticket could loosen.
      const subject = join(ticketOf(roles), {})
      for (const subtype of CONTROL_SUBTYPES) {
        const before = stateOf(subject)
        const answer = await subject.client.request(subtype, REQUESTS[subtype])
        const needed = subtype === "initialize" ? "control" : Reflect.get(ROLE_OF_REQUEST, subtype)
        const may = needed !== undefined && roles.includes(needed as TicketRole)
        // Every client starts with `initialize`, which needs `observe`; the content of this one needs `control` too.
        const withheld = subtype === "initialize" ? !may || !roles.includes("observe") : !may
        expect(refused(answer), `${subtype} with ${roles.join()}`).toBe(withheld)
        if (!may) expect(stateOf(subject), subtype).toBe(before)
        if (!may) expect(String(answer["error"]), subtype).toContain("role")
      }
    },
  )

  it("observe and prompt never change a session's options, whatever they may send", async () => {
    for (const roles of [["observe"], ["prompt"], ["answer"], ["observe", "prompt", "answer"]] as const) {
      const subject = join(ticketOf(roles))
      const before = stateOf(subject)
      for (const subtype of CONTROL_SUBTYPES) await subject.client.request(subtype, REQUESTS[subtype])
      expect(stateOf(subject), roles.join()).toBe(before)
    }
  })

  it("a subtype or a request id that is not a string does no harm, and the next request is answered", async () => {
    const { client } = join(ticketOf(["observe"]))
    const odd = { toString: 1, valueOf: null }
    client.send({ type: "control_request", request_id: "odd", request: { subtype: odd } })
    client.send({ type: "control_response", response: { subtype: "success", request_id: odd } })
    client.send({ type: "control_response", response: { subtype: odd, request_id: "x" } })
    client.send({ type: "control_request", request_id: "none", request: null })
    expect(await client.request("get_binary_version")).toMatchObject({ subtype: "success" })
    expect(client.answersTo("odd")).toMatchObject([{ subtype: "error" }])
  })

  it("an unknown subtype is refused to tickets; a key gets the error that it is unknown", async () => {
    const { client } = join(ticketOf(ROLES.filter((role) => role !== "control")))
    expect(refused(await client.request("grant_everything", {}))).toBe(true)
    const key = join(keyOf(SCOPES))
    expect(await key.client.request("grant_everything", {})).toMatchObject({ error_code: "unsupported_request" })
  })

  it("an empty initialize is open to every client", async () => {
    const empty = { hooks: {}, sdkMcpServers: [], systemPrompt: [""], title: "", toolAliases: {} }
    const subject = join(ticketOf(["observe"]))
    const before = stateOf(subject)
    expect(await subject.client.request("initialize", empty)).toMatchObject({ subtype: "success" })
    expect(stateOf(subject)).toBe(before)
  })
})

describe(`the ${SCOPES.length} scopes of keys on a socket`, () => {
  it("a key without sessions:write changes nothing, and one without files reads no file", async () => {
    for (const scope of SCOPES.filter((one) => one !== "sessions:write")) {
      const subject = join(keyOf([scope]))
      const before = stateOf(subject)
      for (const subtype of CONTROL_SUBTYPES) await subject.client.request(subtype, REQUESTS[subtype])
      expect(stateOf(subject), scope).toBe(before)
    }
    const { client } = join(keyOf(SCOPES.filter((scope) => scope !== "files")))
    for (const subtype of ["read_file", "file_suggestions", "rewind_files"] as const) {
      expect(await client.request(subtype, REQUESTS[subtype])).toMatchObject({
        error: expect.stringContaining("files"),
      })
    }
  })
})
