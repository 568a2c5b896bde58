// A CodeMirror editor in a shadow root: its styles are constructed sheets there, which the page's policy allows.
// Invariant: the text that it gives has the line ends of the text that it was given.
import { css } from "@codemirror/lang-css"
import { html } from "@codemirror/lang-html"
import { javascript } from "@codemirror/lang-javascript"
import { json } from "@codemirror/lang-json"
import { markdown } from "@codemirror/lang-markdown"
import { python } from "@codemirror/lang-python"
import { bracketMatching, indentOnInput, syntaxHighlighting } from "@codemirror/language"
import { EditorState, type Extension } from "@codemirror/state"
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from "@codemirror/view"
import { colours } from "./code-colours.ts"
import { editorKeys, undoHistory } from "./editor-keys.ts"
import { extensionOf, lineEndOf } from "./file-content.ts"

const LANGUAGES: Readonly<Record<string, () => Extension>> = {
  css,
  html,
  htm: html,
  svg: html,
  xml: html,
  json,
  jsonl: json,
  js: () => javascript({ jsx: true }),
  jsx: () => javascript({ jsx: true }),
  mjs: javascript,
  cjs: javascript,
  ts: () => javascript({ typescript: true }),
  mts: () => javascript({ typescript: true }),
  tsx: () => javascript({ typescript: true, jsx: true }),
  md: markdown,
  markdown,
  py: python,
}

/** Custom properties reach into the shadow root, so the editor has the theme of the page. */
const theme = EditorView.theme({
  "&": { height: "100%", color: "var(--text)", backgroundColor: "var(--bg)", fontSize: "var(--size-small)" },
  "&.cm-focused": { outline: "2px solid var(--focus)", outlineOffset: "-2px" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.5" },
  ".cm-gutters": { color: "var(--text-soft)", backgroundColor: "var(--bg-raised)", border: "none" },
  ".cm-activeLine": { backgroundColor: "transparent" },
  "&.cm-focused .cm-activeLine": { backgroundColor: "var(--bg-raised)" },
  ".cm-content": { caretColor: "var(--text)" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    background: "var(--accent-soft)",
  },
})

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

  constructor(options: EditorOptions) {
    const root = options.host.shadowRoot ?? options.host.attachShadow({ mode: "open", delegatesFocus: true })
    this.#options = options
    this.#view = new EditorView({ state: this.#state(options.text), parent: root, root })
  }

  /** Another text, from outside: what can be undone begins anew. */
  replace(text: string): void {
    if (text !== this.#view.state.sliceDoc()) this.#view.setState(this.#state(text))
  }

  destroy(): void {
    this.#view.destroy()
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
        undoHistory,
        drawSelection(),
        indentOnInput(),
        bracketMatching(),
        highlightActiveLine(),
        highlightSpecialChars(),
        theme,
        syntaxHighlighting(colours),
        LANGUAGES[extensionOf(path)]?.() ?? [],
        keymap.of([{ key: "Mod-s", run: save, preventDefault: true }, ...editorKeys]),
        EditorView.updateListener.of(({ docChanged, state }) => docChanged && onChange(state.sliceDoc())),
      ],
    })
  }
}
