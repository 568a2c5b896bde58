// The questions of AskUserQuestion: for each, one or several choices, or a custom text.
import { visibleText } from "../kit/text/visible-text.ts"
import type { AskProps } from "./answering.ts"
import { answersOf, type Choice, choose, chooseOther, NO_CHOICE, type Question, questionsOf } from "./question-model.ts"

export const QuestionAsk = ({ ask, answering }: AskProps) => {
  const questions = questionsOf(ask)
  const choices = answering.typed<ReadonlyArray<Choice>>("choices", () => questions.map(() => NO_CHOICE))
  const change = (index: number, to: Choice) => (choices.value = choices.value.with(index, to))
  const submit = (event: Event) => {
    event.preventDefault()
    const result = answersOf(questions, choices.value)
    if ("answers" in result) void answering.send({ answers: result.answers })
    else answering.refuse(`Answer “${questions[result.missing]?.question ?? ""}” first.`)
  }
  return (
    <form onSubmit={submit}>
      {questions.map((question, index) => (
        <QuestionFields
          key={question.question}
          id={`${ask.request_id}-${index}`}
          question={question}
          choice={choices.value[index] ?? NO_CHOICE}
          onChange={(to) => change(index, to)}
        />
      ))}
      <div class="ask-actions">
        <button class="primary" type="submit" disabled={answering.isBusy.value}>
          {questions.length === 1 ? "Answer" : "Answer all"}
        </button>
        <button
          type="button"
          disabled={answering.isBusy.value}
          onClick={() => void answering.send({ reply: "reject" })}
        >
          Decline to answer
        </button>
      </div>
    </form>
  )
}

interface FieldsProps {
  readonly id: string
  readonly question: Question
  readonly choice: Choice
  readonly onChange: (choice: Choice) => void
}

const QuestionFields = ({ id, question, choice, onChange }: FieldsProps) => {
  const { isMultiple, options } = question
  const type = isMultiple ? "checkbox" : "radio"
  return (
    <fieldset class="ask-question">
      <legend>
        {question.header === "" ? null : <span class="badge">{visibleText(question.header)}</span>}{" "}
        {visibleText(question.question)}
      </legend>
      {options.map(({ label, description, preview }) => (
        <label key={label} class="ask-option">
          <input
            type={type}
            name={id}
            checked={choice.labels.includes(label)}
            onChange={() => onChange(choose(choice, label, isMultiple))}
          />
          <span>
            <strong>{visibleText(label)}</strong>
            {description === "" ? null : <span class="soft">{visibleText(description)}</span>}
            {preview === null ? null : <pre>{visibleText(preview)}</pre>}
          </span>
        </label>
      ))}
      <div class="ask-option">
        <input
          type={type}
          name={id}
          aria-label="Another answer"
          checked={choice.usesOther}
          onChange={(event) =>
            onChange(
              event.currentTarget.checked
                ? chooseOther(choice, choice.other, isMultiple)
                : { ...choice, usesOther: false },
            )
          }
        />
        <input
          type="text"
          class="grow"
          placeholder="Another answer"
          aria-label={`Another answer to: ${question.question}`}
          value={choice.other}
          onInput={(event) => onChange(chooseOther(choice, event.currentTarget.value, isMultiple))}
        />
      </div>
    </fieldset>
  )
}
