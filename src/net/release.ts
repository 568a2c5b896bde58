// Gives the memory of large buffers back at once. They count for little in the garbage collector's eyes, so that tens of
// megabytes of them would wait for it.
// Invariant: the caller owns the bytes and reads them no more: every view of them is empty afterwards.

/** Frees the memory behind `bytes`: all of the buffer, also what lies around a view. */
export const release = ({ buffer }: Uint8Array): void => {
  if (buffer instanceof ArrayBuffer) buffer.transfer(0)
}
