// Receives a blob and a name; makes the browser save it as a file.

export const saveAs = (blob: Blob, name: string): void => {
  const url = URL.createObjectURL(blob)
  const link = document.createElement("a")
  link.href = url
  link.download = name
  link.click()
  // By then, the browser has started to read the blob and does not need the URL any more.
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
