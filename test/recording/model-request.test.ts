// Model requests in a recording: equal ones have one hash, and a step stores only what it adds to the conversation.
import { expect, it } from "vitest"
import type { MessagesRequest } from "../../src/model/messages-api.ts"
import { differenceText, firstDifference } from "../../src/recording/missing/difference.ts"
import { nearestOf } from "../../src/recording/missing/nearest.ts"
import { ModelRequests } from "../../src/recording/model-request.ts"
import { expanded, hashRequest, type HashedRequest, type Json } from "../../src/recording/request-hash.ts"

const FORM = { streams: true, betas: [] }

const user = (text: string) => ({ role: "user" as const, content: [{ type: "text" as const, text }] })
const tool = (name: string) => ({ name, description: `Does ${name}.`, input_schema: { type: "object" as const } })
const TOOLS = [tool("one"), tool("two")]
const SYSTEM = [{ type: "text" as const, text: "Be brief." }]

const requestOf = (change: Partial<MessagesRequest> = {}): MessagesRequest => ({
  model: "m",
  max_tokens: 10,
  system: SYSTEM,
  tools: TOOLS,
  messages: [user("first"), user("second")],
  ...change,
})

const hashOf = (request: MessagesRequest, form = FORM) => new ModelRequests().hash(request, form).hash

/** The request as it was hashed, complete. */
const wholeOf = (...hashed: ReadonlyArray<HashedRequest>): Json => {
  const chunks = new Map(hashed.flatMap((one) => [...one.chunks]))
  return expanded(hashed.at(-1)?.request ?? null, (hash) => {
    const json = chunks.get(hash)
    return json === undefined ? undefined : (JSON.parse(json) as Json) // chunks are JSON
  })
}

it("equal requests have the same hash, whatever their metadata, ids and times are", () => {
  const of = (day: string, id: string) =>
    hashOf(
      requestOf({
        metadata: { user_id: id },
        messages: [user(`Today is ${day}. Session 0199a000-0000-7000-8000-${id}.`)],
      }),
    )
  expect(of("2026-01-02", "000000000001")).toBe(of("2027-03-04", "000000000002"))
})

it.each<[string, Partial<MessagesRequest>]>([
  ["model", { model: "n" }],
  ["max_tokens", { max_tokens: 11 }],
  ["system[0].text", { system: [{ type: "text", text: "Be long." }] }],
  ["tools[1].name", { tools: [tool("one"), tool("three")] }],
  ["tools[2]", { tools: [...TOOLS, tool("three")] }],
  ["messages[1].content[0].text", { messages: [user("first"), user("third")] }],
  ["messages[2]", { messages: [user("first"), user("second"), user("third")] }],
])("another %s is another request, and the difference says so", (path, change) => {
  const [recorded, asked] = [requestOf(), requestOf(change)].map((request) => new ModelRequests().hash(request, FORM))
  expect(recorded!.hash).not.toBe(asked!.hash)
  expect(firstDifference(wholeOf(recorded!), wholeOf(asked!))?.path).toBe(path)
})

it("a difference is short, however long the values are", () => {
  const [recorded, asked] = ["é".repeat(5000), `${"é".repeat(4000)}😀${"語".repeat(5000)}`]
  const path = `a.${"b".repeat(500)}`
  const found = firstDifference({ a: { ["b".repeat(500)]: recorded } }, { a: { ["b".repeat(500)]: asked } })
  expect(found).toEqual({ path, recorded, asked })
  const text = differenceText(found!)
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(2048)
  expect(text).toMatch(/^at a\.b+…b+\nrecorded: …é+…\nasked: …é+😀語+…$/)
})

it("a longer conversation stores only what is new, and is read back complete", () => {
  const requests = new ModelRequests()
  const messages = ["a", "b"].map(user)
  const first = requests.hash(requestOf({ messages }), FORM)
  const longer = [...messages, user("c")]
  const second = requests.hash(requestOf({ messages: longer }), FORM)
  // The message, and the list that has it.
  expect(second.chunks.size).toBe(2)
  expect(wholeOf(first, second)).toMatchObject({ messages: longer, tools: TOOLS, system: SYSTEM })
  expect(second.hash).toBe(hashOf(requestOf({ messages: longer })))
  // A subagent's requests in between make no difference.
  requests.hash(requestOf({ messages: [user("other")], tools: [tool("one")] }), FORM)
  expect(requests.hash(requestOf({ messages: longer }), FORM)).toMatchObject({ hash: second.hash, chunks: new Map() })
})

it("cache breakpoints are not part of it, and streaming is", () => {
  const cached = [{ ...SYSTEM[0]!, cache_control: { type: "ephemeral" as const } }]
  expect(hashOf(requestOf({ system: cached }))).toBe(hashOf(requestOf()))
  expect(hashOf(requestOf(), { ...FORM, streams: false })).not.toBe(hashOf(requestOf()))
})

it("long texts of other requests are stored as chunks, and read back complete", () => {
  const request = { fetch: "https://example.com", body: "x".repeat(5000), list: ["short", "y".repeat(600)] }
  const hashed = hashRequest(request)
  expect(hashed.json.length).toBeLessThan(400)
  expect(wholeOf(hashed)).toEqual(request)
})

it("the nearest of many requests is found by reading each of their messages once", () => {
  const requests = new ModelRequests()
  const messages = Array.from({ length: 200 }, (_, index) => user(`message ${index}`))
  const answers = messages.map((_, index) => ({
    kind: "model" as const,
    ordinal: 0,
    response: null,
    ...requests.hash(requestOf({ messages: messages.slice(0, index + 1) }), FORM),
  }))
  const chunks = new Map(answers.flatMap((answer) => [...answer.chunks]))
  let reads = 0
  const chunkOf = (hash: string) => {
    reads += 1
    return JSON.parse(chunks.get(hash) ?? "null") as Json // chunks are JSON
  }
  const asked = wholeOf(
    new ModelRequests().hash(requestOf({ messages: [...messages.slice(0, 120), user("another")] }), FORM),
  )
  const nearest = nearestOf(answers, "model", asked, chunkOf)
  expect(nearest).toBe(answers[120])
  expect(reads).toBeLessThanOrEqual(chunks.size)
  const whole = expanded(nearest!.request, chunkOf)
  expect(firstDifference(whole, asked)?.path).toBe("messages[120].content[0].text")
  expect(nearestOf(answers, "tool", asked, chunkOf)).toBeUndefined()
})
