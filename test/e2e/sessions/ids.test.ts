// The answer to a request for an id that another session has.
import { expect, inject, it } from "vitest"
import { PerchClient } from "../../support/server/client.ts"

const perch = new PerchClient(inject("shared"))

interface Refused {
  readonly error: { readonly message: string }
}

it("an id that exists is a 409, with or without a new Idempotency-Key", async () => {
  const id = crypto.randomUUID()
  const made = (key: string | null, title: string, status: number) =>
    perch.json<Refused>("POST", "/v1/sessions", {
      json: { id, title },
      ...(key === null ? {} : { headers: { "idempotency-key": key } }),
      status,
    })
  await made(null, "a", 201)
  for (const key of [null, crypto.randomUUID()]) {
    expect((await made(key, "a", 409)).error.message).toBe("a session with this id exists")
  }
})
