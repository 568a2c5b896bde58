// The hash by which texts are identified and compared.
import { createHash } from "node:crypto"

/** The SHA-256 of a text in UTF-8, in hexadecimal. */
export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")
