// Clients with the rights of a ticket or a key, on the sessions of a test file.
import { type Actor, rolesOf, type Scope, type TicketRole } from "../../../src/schemas/access.ts"
import type { SessionOptions } from "../../../src/schemas/sdk/options/options.ts"
import type { loop } from "../../support/session/loop.ts"
import { OPENED } from "./ticket-roles-table.ts"

/** The holder of a ticket with these roles. */
export const ticketOf = (roles: ReadonlyArray<TicketRole>, more: Partial<Actor> = {}): Actor => ({
  key: "0123456789abcdef",
  ticket: `ticket-${roles.join("-")}`,
  address: "203.0.113.7",
  roles,
  bypass: false,
  files: true,
  generation: 0,
  expires: null,
  checked: 0,
  ...more,
})

/** The holder of a key with these scopes. */
export const keyOf = (scopes: ReadonlyArray<Scope>): Actor => {
  const { ticket: _, ...key } = ticketOf(rolesOf(scopes), {
    bypass: scopes.includes("bypass"),
    files: scopes.includes("files"),
  })
  return key
}

/** Whether an answer refuses something that the actor may not do. */
export const refused = (answer: Readonly<Record<string, unknown>>): boolean =>
  answer["error_code"] === "permission_error"

/** Connects actors to sessions on the scripted API of a test file. */
export const joining = (made: ReturnType<typeof loop>) => {
  /** Returns a session, and a client with these rights on it. */
  const join = (actor: Actor, options: SessionOptions = OPENED) => {
    const harness = made.harnessOf(options)
    const booted = harness.boot()
    return { ...booted, harness, client: harness.connect({}, undefined, actor) }
  }

  return join
}
