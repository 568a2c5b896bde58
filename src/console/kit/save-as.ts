// Receives bytes and a name; has the browser save them as a file.

export const saveAs = (blob: Blob, name: string): void => {
  const url = URL.createObjectURL(blob)
  const link = document.createElement("a")
  link.href = url
  link.download = name
  link.click()
  // The browser has begun to read it by then; a task later it needs the address no more.
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
