// Gives the memory of large buffers back at once. They count for little in the garbage collector's eyes, so that tens of
// megabytes of them would wait for it.
// Invariant: whoever calls this owns the bytes and reads them no more: they are gone for every view of them.

/** Frees the memory behind `bytes`: all of the buffer, also what lies around a view. */
export const release = ({ buffer }: Uint8Array): void => {
  if (buffer instanceof ArrayBuffer) buffer.transfer(0)
}
