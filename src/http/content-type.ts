// Receives a file's path; returns the content type for its extension.

const TEXT = "text/plain; charset=utf-8"

const TYPES: Readonly<Record<string, string>> = {
  avif: "image/avif",
  bmp: "image/bmp",
  css: "text/css; charset=utf-8",
  csv: "text/csv; charset=utf-8",
  gif: "image/gif",
  gz: "application/gzip",
  htm: "text/html; charset=utf-8",
  html: "text/html; charset=utf-8",
  ico: "image/x-icon",
  ipynb: "application/x-ipynb+json",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  js: "text/javascript; charset=utf-8",
  json: "application/json",
  jsonl: "application/jsonl",
  md: "text/markdown; charset=utf-8",
  mjs: "text/javascript; charset=utf-8",
  mp3: "audio/mpeg",
  mp4: "video/mp4",
  pdf: "application/pdf",
  png: "image/png",
  svg: "image/svg+xml",
  tsv: "text/tab-separated-values; charset=utf-8",
  wasm: "application/wasm",
  wav: "audio/wav",
  webm: "video/webm",
  webp: "image/webp",
  xml: "application/xml",
  yaml: "application/yaml",
  yml: "application/yaml",
  zip: "application/zip",
}

const TEXT_NAMES = new Set(
  "bash c cc cfg cjs conf cpp cs env gitignore go h hpp ini java jsx kt log lua php pl py r rb rs scss sh sql swift toml ts tsx txt vue zsh".split(
    " ",
  ),
)

/** The content type for a path's extension; `application/octet-stream` when it is unknown, text when there is none. */
export const contentTypeOf = (path: string): string => {
  const name = path.slice(path.lastIndexOf("/") + 1)
  const extension = name.slice(name.lastIndexOf(".") + 1).toLowerCase()
  if (Object.hasOwn(TYPES, extension)) return TYPES[extension] ?? TEXT
  return TEXT_NAMES.has(extension) || !name.includes(".") ? TEXT : "application/octet-stream"
}
