// What keys do in the editor beyond what the browser does itself: undo, redo, a new line with its indent, indent by Tab.
// Invariant: undo takes back what a person typed, one pause of typing at a time, and never what came from elsewhere.
import { getIndentation, IndentContext, indentString, indentUnit } from "@codemirror/language"
import {
  Annotation,
  type ChangeSet,
  EditorSelection,
  type EditorState,
  StateEffect,
  StateField,
} from "@codemirror/state"
import type { EditorView, KeyBinding } from "@codemirror/view"

interface Step {
  readonly changes: ChangeSet
  readonly selection: EditorSelection
  readonly at: number
}

interface History {
  readonly done: ReadonlyArray<Step>
  readonly undone: ReadonlyArray<Step>
}

/** What is typed within this time of the change before is undone with it. */
const PAUSE_MS = 500
const KEPT = 500

const travelled = StateEffect.define<"undo" | "redo">()
const ownLine = Annotation.define<boolean>()

export const undoHistory = StateField.define<History>({
  create: () => ({ done: [], undone: [] }),
  update: (history, transaction) => {
    if (!transaction.docChanged) return history
    const step: Step = {
      changes: transaction.changes.invert(transaction.startState.doc),
      selection: transaction.startState.selection,
      at: Date.now(),
    }
    const direction = transaction.effects.find((effect) => effect.is(travelled))?.value
    if (direction === "undo") return { done: history.done.slice(0, -1), undone: [...history.undone, step] }
    if (direction === "redo")
      return { done: [...history.done, { ...step, at: 0 }], undone: history.undone.slice(0, -1) }
    const last = history.done.at(-1)
    const goesOn = last !== undefined && step.at - last.at < PAUSE_MS && transaction.annotation(ownLine) !== true
    const done = goesOn
      ? [...history.done.slice(0, -1), { ...last, changes: step.changes.compose(last.changes), at: step.at }]
      : [...history.done.slice(-KEPT), step]
    return { done, undone: [] }
  },
})

const travel =
  (direction: "undo" | "redo") =>
  (view: EditorView): boolean => {
    const { done, undone } = view.state.field(undoHistory)
    const step = (direction === "undo" ? done : undone).at(-1)
    if (step === undefined || view.state.readOnly) return true
    const { changes, selection } = step
    view.dispatch({ changes, selection, effects: travelled.of(direction), scrollIntoView: true })
    return true
  }

/** A new line begins where the language's, or else the line above, begins. */
const newLine = (view: EditorView): boolean => {
  const { state } = view
  if (state.readOnly) return false
  const change = state.changeByRange(({ from, to }) => {
    const line = state.doc.lineAt(from)
    const context = new IndentContext(state, { simulateBreak: from })
    const columns = getIndentation(context, from)
    const above = /^\s*/.exec(line.text)?.[0].slice(0, from - line.from) ?? ""
    const insert = state.toText(`${state.lineBreak}${columns === null ? above : indentString(state, columns)}`)
    return { changes: { from, to, insert }, range: EditorSelection.cursor(from + insert.length) }
  })
  view.dispatch(change, { scrollIntoView: true, userEvent: "input", annotations: ownLine.of(true) })
  return true
}

const selectedLines = (state: EditorState): ReadonlyArray<number> => [
  ...new Set(
    state.selection.ranges.flatMap(({ from, to }) => {
      const first = state.doc.lineAt(from).number
      return Array.from({ length: state.doc.lineAt(to).number - first + 1 }, (_, index) => first + index)
    }),
  ),
]

const indent = (view: EditorView): boolean => {
  const { state } = view
  if (state.readOnly) return false
  const unit = state.facet(indentUnit)
  if (state.selection.ranges.every(({ empty }) => empty)) {
    view.dispatch(state.replaceSelection(unit), { userEvent: "input" })
  } else {
    const changes = selectedLines(state).map((number) => ({ from: state.doc.line(number).from, insert: unit }))
    view.dispatch({ changes, userEvent: "input" })
  }
  return true
}

const outdent = (view: EditorView): boolean => {
  const { state } = view
  if (state.readOnly) return false
  const changes = selectedLines(state).flatMap((number) => {
    const { from, text } = state.doc.line(number)
    const blank = /^(\t| {1,2})/.exec(text)?.[0].length ?? 0
    return blank === 0 ? [] : [{ from, to: from + blank }]
  })
  view.dispatch({ changes, userEvent: "delete" })
  return true
}

const selectAll = (view: EditorView): boolean => {
  view.dispatch({ selection: { anchor: 0, head: view.state.doc.length } })
  return true
}

/** After Escape the next Tab moves the focus on, so that the keyboard can leave the editor. */
const letTabLeave = (view: EditorView): boolean => {
  view.setTabFocusMode(2000)
  return true
}

export const editorKeys: ReadonlyArray<KeyBinding> = [
  { key: "Mod-z", run: travel("undo"), preventDefault: true },
  { key: "Mod-y", mac: "Mod-Shift-z", run: travel("redo"), preventDefault: true },
  { key: "Mod-Shift-z", run: travel("redo"), preventDefault: true },
  { key: "Mod-a", run: selectAll, preventDefault: true },
  { key: "Enter", run: newLine },
  { key: "Tab", run: indent, shift: outdent },
  { key: "Escape", run: letTabLeave },
]
