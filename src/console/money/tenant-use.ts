// A tenant's usage of its limits: from the counts of the admin route, and from the RateLimit headers of its response.

/** The response of `GET /v1/admin/tenants/{tenant}/limits`. */
export interface TenantLimitsAnswer {
  readonly limits: Readonly<Record<string, number>>
  readonly own: Readonly<Record<string, number>>
  /** By the name of the limit; null if it could not be counted. */
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

/** The key's requests in this minute; null without the headers, which the root key does not get. */
const requestsOf = (headers: Headers): Use | null => {
  const limit = fieldOf(headers.get("ratelimit-policy"), "q")
  const left = fieldOf(headers.get("ratelimit"), "r")
  return limit === null || left === null ? null : { name: "requests", used: Math.max(0, limit - left), limit }
}

/** All known counts with their limits. */
export const usesOf = ({ limits, used }: TenantLimitsAnswer, headers: Headers): ReadonlyArray<Use> => {
  const counted = Object.entries(used).flatMap(([name, value]) => {
    const limit = limits[name]
    return value === null || limit === undefined ? [] : [{ name, used: value, limit }]
  })
  const requests = requestsOf(headers)
  return requests === null ? counted : [...counted, requests]
}
