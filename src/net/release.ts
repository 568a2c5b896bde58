// Frees the memory of large buffers at once. The garbage collector hardly accounts for them, so that tens of megabytes
// would stay allocated until it runs.
// Invariant: the caller owns the bytes and does not read them again: every view of them is empty afterwards.

/** Frees the whole buffer behind `bytes`, including what is outside this view of it. */
export const release = ({ buffer }: Uint8Array): void => {
  if (buffer instanceof ArrayBuffer) buffer.transfer(0)
}
