// Divides work into tasks, so that the page shows a frame between them.

export interface LaterTask {
  readonly cancel: () => void
}

/** Runs `task` in a task after the next frame, so that the frame only lays out what was rendered before it. */
export const behindNextFrame = (task: () => void): LaterTask => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const frame = requestAnimationFrame(() => (timer = setTimeout(task)))
  return {
    cancel: () => {
      cancelAnimationFrame(frame)
      clearTimeout(timer)
    },
  }
}
