// The languages that the editor highlights; each is loaded with the first file that uses it.
import { ownValue } from "../../../schemas/own-value.ts"
import type { Extension } from "@codemirror/state"
import { extensionOf } from "./file-content.ts"

type Load = () => Promise<Extension>

const html: Load = () => import("@codemirror/lang-html").then((module) => module.html())
const css: Load = () => import("@codemirror/lang-css").then((module) => module.css())
const json: Load = () => import("@codemirror/lang-json").then((module) => module.json())
const markdown: Load = () => import("@codemirror/lang-markdown").then((module) => module.markdown())
const python: Load = () => import("@codemirror/lang-python").then((module) => module.python())
const script = (options: { readonly jsx?: boolean; readonly typescript?: boolean }): Load => {
  return () => import("@codemirror/lang-javascript").then((module) => module.javascript(options))
}

const LANGUAGES: Readonly<Record<string, Load>> = {
  css,
  html,
  htm: html,
  svg: html,
  xml: html,
  json,
  jsonl: json,
  js: script({ jsx: true }),
  jsx: script({ jsx: true }),
  mjs: script({}),
  cjs: script({}),
  ts: script({ typescript: true }),
  mts: script({ typescript: true }),
  tsx: script({ typescript: true, jsx: true }),
  md: markdown,
  markdown,
  py: python,
}

/** The language for a path; null if it is unknown. */
export const languageOf = async (path: string): Promise<Extension | null> =>
  (await ownValue(LANGUAGES, extensionOf(path))?.()) ?? null
