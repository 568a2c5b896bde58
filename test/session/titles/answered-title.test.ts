import { describe, expect, it } from "vitest"
import { titleIn } from "../../../src/session/titles/answered-title.ts"
import { text } from "../../support/session/scripts.ts"

describe("the title in an answer", () => {
  it.each([
    ["Greeting things", "Greeting things"],
    ['"Greeting things."\nand more', "Greeting things"],
    ['{"title":"Greeting things","isNewTopic":false}', "Greeting things"],
    ["{not json", "{not json"],
    ["  \n ", null],
    ["x".repeat(300), "x".repeat(100)],
  ])("%j is %j", (answer, title) => {
    expect(titleIn([text(answer)])).toBe(title)
  })

  it("is absent when the answer has no text", () => {
    expect(titleIn([{ type: "thinking", thinking: "hm" }])).toBeNull()
    expect(titleIn(undefined)).toBeNull()
  })
})
