// What a tenant uses of its limits: the counts of the admin route, and what the RateLimit fields of its answer have left.

/** `GET /v1/admin/tenants/{tenant}/limits`. */
export interface TenantLimitsAnswer {
  readonly limits: Readonly<Record<string, number>>
  readonly own: Readonly<Record<string, number>>
  /** By the name of the limit; null where it could not be counted. */
  readonly used: Readonly<Record<string, number | null>>
}

export interface Use {
  readonly name: string
  readonly used: number
  readonly limit: number
}

const fieldOf = (header: string | null, field: string): number | null => {
  const found = new RegExp(`;${field}=(\\d+)`).exec(header ?? "")?.[1]
  return found === undefined ? null : Number(found)
}

/** What this minute's requests of the key are; null for an answer without the fields, as the root key gets it. */
const requestsOf = (headers: Headers): Use | null => {
  const limit = fieldOf(headers.get("ratelimit-policy"), "q")
  const left = fieldOf(headers.get("ratelimit"), "r")
  return limit === null || left === null ? null : { name: "requests", used: Math.max(0, limit - left), limit }
}

/** What is counted, each with its limit. */
export const usesOf = ({ limits, used }: TenantLimitsAnswer, headers: Headers): ReadonlyArray<Use> => {
  const counted = Object.entries(used).flatMap(([name, value]) => {
    const limit = limits[name]
    return value === null || limit === undefined ? [] : [{ name, used: value, limit }]
  })
  const requests = requestsOf(headers)
  return requests === null ? counted : [...counted, requests]
}
