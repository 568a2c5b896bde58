// Receives a message and the secrets of its tenant; returns the headers that sign it, as Standard Webhooks defines them.
// Invariant: the id, the time and the body are signed, byte for byte as they are sent.

/** `whsec_` and the base64 of 24 to 64 bytes. */
const SECRET_PREFIX = "whsec_"

/** A new secret: 256 random bits. */
export const newWebhookSecret = (): string => SECRET_PREFIX + base64(crypto.getRandomValues(new Uint8Array(32)))

export interface WebhookMessage {
  /** Stays the same however often the message is sent. Must not contain a dot. */
  readonly id: string
  /** Seconds since 1970. */
  readonly timestamp: number
  readonly body: string
}

/** `webhook-id`, `webhook-timestamp`, and `webhook-signature` with one signature for each secret. */
export const webhookHeaders = async (
  { id, timestamp, body }: WebhookMessage,
  secrets: ReadonlyArray<string>,
): Promise<Record<string, string>> => {
  const content = new TextEncoder().encode(`${id}.${timestamp}.${body}`)
  const signatures = await Promise.all(secrets.map((secret) => signature(secret, content)))
  return {
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": signatures.map((value) => `v1,${value}`).join(" "),
  }
}

const signature = async (secret: string, content: BufferSource): Promise<string> => {
  const bytes = Uint8Array.from(atob(secret.slice(SECRET_PREFIX.length)), (char) => char.charCodeAt(0))
  const key = await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"])
  return base64(new Uint8Array(await crypto.subtle.sign("HMAC", key, content)))
}

const base64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes))
