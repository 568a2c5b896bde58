// The answers to questions.
import { describe, expect, test } from "vitest"
import { answersOf, choose, chooseOther, NO_CHOICE, questionsOf } from "../../../src/console/ask/question-model.ts"
import { ask } from "../../support/console/ask.ts"

describe("questions", () => {
  const asked = ask({
    kind: "question",
    input: {
      questions: [
        { question: "Colour?", header: "Colour", options: [{ label: "Red", description: "warm" }, { label: "Blue" }] },
        { question: "Sizes?", header: "", multiSelect: true, options: [{ label: "S" }, { label: "L" }] },
      ],
    },
  })
  const questions = questionsOf(asked)

  test("are read with their options", () => {
    expect(questions).toMatchObject([
      { question: "Colour?", isMultiple: false, options: [{ label: "Red", description: "warm" }, { label: "Blue" }] },
      { question: "Sizes?", isMultiple: true },
    ])
    expect(questionsOf(ask({ input: { questions: "none" } }))).toEqual([])
  })

  test("one choice replaces the other, several are collected", () => {
    const one = choose(choose(NO_CHOICE, "Red", false), "Blue", false)
    expect(one.labels).toEqual(["Blue"])
    const several = choose(choose(choose(NO_CHOICE, "S", true), "L", true), "S", true)
    expect(several.labels).toEqual(["L"])
  })

  test("a free text replaces a single choice and is added to several", () => {
    const own = chooseOther(choose(NO_CHOICE, "Red", false), " Green ", false)
    const both = chooseOther(choose(NO_CHOICE, "S", true), "XL", true)
    expect(answersOf(questions, [own, both])).toEqual({ answers: { "Colour?": "Green", "Sizes?": ["S", "XL"] } })
  })

  test("are not sent before each has an answer", () => {
    expect(answersOf(questions, [choose(NO_CHOICE, "Red", false)])).toEqual({ missing: 1 })
    expect(answersOf(questions, [chooseOther(NO_CHOICE, "  ", false)])).toEqual({ missing: 0 })
  })
})
