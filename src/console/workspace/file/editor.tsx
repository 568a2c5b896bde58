// The editor of the open file; its code is loaded when the first text is shown.
import { useEffect, useRef } from "preact/hooks"
import { CodeEditor } from "./code-editor.ts"

interface EditorProps {
  readonly path: string
  readonly text: string
  /** When this number changes, `text` replaces the editor's content. */
  readonly version: number
  readonly isReadOnly?: boolean
  readonly onChange?: (text: string) => void
  readonly onSave?: () => void
}

const nothing = () => undefined

export const Editor = ({
  path,
  text,
  version,
  isReadOnly = false,
  onChange = nothing,
  onSave = nothing,
}: EditorProps) => {
  const host = useRef<HTMLDivElement>(null)
  const editor = useRef<CodeEditor | null>(null)
  useEffect(() => {
    if (host.current === null) return undefined
    editor.current = new CodeEditor({ host: host.current, path, text, isReadOnly, onChange, onSave })
    return () => editor.current?.destroy()
  }, [path])
  useEffect(() => editor.current?.replace(text), [version])
  return <div class="code-editor" ref={host} />
}
