// A CodeMirror editor in a shadow root, where its styles are constructed style sheets, which the page's CSP allows.
// Invariant: the edited text keeps the line ends of the original text.
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands"
import { search, searchKeymap } from "@codemirror/search"
import { bracketMatching, indentOnInput, syntaxHighlighting } from "@codemirror/language"
import { Compartment, EditorState } from "@codemirror/state"
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from "@codemirror/view"
import { colours } from "./code-colours.ts"
import { languageOf } from "./code-languages.ts"
import { lineEndOf } from "./file-content.ts"
import { keptPlaces } from "./kept-place.ts"

/** Custom properties are inherited by the shadow root, so the editor uses the page's theme. */
const theme = EditorView.theme({
  "&": { height: "100%", color: "var(--text)", backgroundColor: "var(--bg)", fontSize: "var(--size-small)" },
  "&.cm-focused": { outline: "2px solid var(--focus)", outlineOffset: "-2px" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.5" },
  ".cm-gutters": { color: "var(--text-soft)", backgroundColor: "var(--bg-raised)", border: "none" },
  ".cm-activeLine": { backgroundColor: "transparent" },
  "&.cm-focused .cm-activeLine": { backgroundColor: "var(--bg-raised)" },
  ".cm-panels": { color: "var(--text)", backgroundColor: "var(--bg-raised)" },
  ".cm-content": { caretColor: "var(--text)" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    background: "var(--accent-soft)",
  },
})

/** After Escape, Tab moves the focus for two seconds, so that keyboard users can leave the editor. */
const letTabLeave = (view: EditorView): boolean => {
  view.setTabFocusMode(2000)
  return true
}

export interface EditorOptions {
  readonly host: HTMLElement
  readonly path: string
  readonly text: string
  readonly isReadOnly: boolean
  readonly onChange: (text: string) => void
  readonly onSave: () => void
}

export class CodeEditor {
  readonly #view: EditorView
  readonly #options: EditorOptions
  readonly #language = new Compartment()

  constructor(options: EditorOptions) {
    const root = options.host.shadowRoot ?? options.host.attachShadow({ mode: "open" })
    this.#options = options
    this.#view = new EditorView({ state: this.#state(options.text), parent: root, root })
    void this.#colour()
  }

  /** Replaces the text from outside, keeps the visible lines and the selection, and clears the undo history. */
  replace(text: string): void {
    const { doc, selection } = this.#view.state
    if (text === this.#view.state.sliceDoc()) return
    const { scrollTop } = this.#view.scrollDOM
    const first = this.#view.lineBlockAtHeight(scrollTop)
    const state = this.#state(text)
    const placeOf = keptPlaces(doc.toString(), state.doc.toString())
    const yMargin = first.top + this.#view.documentPadding.top - scrollTop
    this.#view.setState(state)
    this.#view.dispatch({
      selection: { anchor: placeOf(selection.main.anchor), head: placeOf(selection.main.head) },
      effects: EditorView.scrollIntoView(placeOf(first.from), { y: "start", yMargin }),
    })
    void this.#colour()
  }

  destroy(): void {
    this.#view.destroy()
  }

  /** Loads the language and adds its colours. If that fails, the text stays plain. */
  async #colour(): Promise<void> {
    const language = await languageOf(this.#options.path).catch(() => null)
    if (language !== null) this.#view.dispatch({ effects: this.#language.reconfigure(language) })
  }

  #state(text: string): EditorState {
    const { path, isReadOnly, onChange, onSave } = this.#options
    const save = () => {
      onSave()
      return true
    }
    return EditorState.create({
      doc: text,
      extensions: [
        EditorState.lineSeparator.of(lineEndOf(text)),
        EditorState.readOnly.of(isReadOnly),
        EditorView.contentAttributes.of({ "aria-label": path }),
        lineNumbers(),
        history(),
        search({ top: true }),
        drawSelection(),
        indentOnInput(),
        bracketMatching(),
        highlightActiveLine(),
        highlightSpecialChars(),
        theme,
        syntaxHighlighting(colours),
        this.#language.of([]),
        keymap.of([
          { key: "Mod-s", run: save, preventDefault: true },
          ...searchKeymap,
          ...historyKeymap,
          { key: "Escape", run: letTabLeave },
          ...defaultKeymap,
          indentWithTab,
        ]),
        EditorView.updateListener.of(({ docChanged, state }) => docChanged && onChange(state.sliceDoc())),
      ],
    })
  }
}
