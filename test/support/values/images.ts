// Images for tests: bytes that start like a PNG and are the same for the same seed, and a PDF of one page.

const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]

/** Bytes that do not repeat, so that no two images are the same. */
export const png = (bytes: number, seed = 1): Buffer => {
  const picture = Buffer.alloc(bytes)
  let state = (seed * 2_654_435_761) >>> 0
  for (let at = 0; at < bytes; at += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    picture[at] = PNG[at] ?? state >>> 24
  }
  return picture
}

export const pdf = (bytes: number): Buffer =>
  Buffer.concat([Buffer.from("%PDF-1.7\n1 0 obj << /Type /Page >>\nendobj\n"), png(bytes, 7)])

export const imageBlock = (bytes: Buffer) => ({
  type: "image",
  source: { type: "base64", media_type: "image/png", data: bytes.toString("base64") },
})
