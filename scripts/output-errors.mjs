// Imported first by scripts whose output is their product: console.log ignores that stdout can't be written.
// Invariant: the exit code is not 0 if output was lost, except to a reader that has closed the pipe, as in `… | head`.
process.stdout.on("error", ({ code, message }) => {
  if (code === "EPIPE") process.exit()
  console.error(`perch: the output can't be written: ${message}`)
  process.exit(1)
})
