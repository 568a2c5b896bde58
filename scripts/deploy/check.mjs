// Checks whether a deployed Perch works: health, readiness, that a request without a key is refused and that the root key is
// accepted. Receives its address and the root key, if it is known. Each check is repeated until it passes or the time is over:
// a new workers.dev name takes minutes to resolve, and a new version seconds until it is deployed everywhere.
import { setTimeout as delay } from "node:timers/promises"
import { DeployError } from "./errors.mjs"

const LIMIT_MS = 20_000

const get = async (url, key) => {
  const answer = await fetch(url, {
    headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
    redirect: "manual",
    signal: AbortSignal.timeout(LIMIT_MS),
  })
  const text = await answer.text()
  try {
    return { status: answer.status, json: JSON.parse(text) }
  } catch {
    return { status: answer.status, json: {} }
  }
}

const failedParts = ({ error }) => (error?.issues ?? []).map(({ field }) => field).join(", ") || "no check named"

/** The error in the answer of `/healthz`, if any. The previous version may still answer for some seconds. */
const unhealthy = ({ status, json }, migration) => {
  if (status !== 200 || json.status !== "ok") return `it answered ${status}`
  if (json.bindings?.ok === false) return `the Worker has no ${json.bindings.missing.join(", ")}`
  const { migration: deployed } = json.versions ?? {}
  return deployed === undefined || migration === undefined || deployed === migration
    ? undefined
    : `it is the version with the migration ${deployed}, not ${migration}`
}

/** Each check: its request, and `wrong`, which returns the error in the answer, if any. */
const checks = ({ hasRootKey, key, keyFrom, migration }) => [
  {
    name: "GET /healthz",
    path: "/healthz",
    wrong: (answer) => unhealthy(answer, migration),
  },
  {
    name: "a request without a key is refused",
    path: "/v1/sessions?limit=1",
    wrong: ({ status }) => {
      if (status === (hasRootKey ? 401 : 503)) return undefined
      return status === 503 ? "it answered 503: the Worker has no PERCH_ROOT_KEY" : `it answered ${status}, not 401`
    },
  },
  ...(key === undefined
    ? []
    : [
        {
          name: "a request with the root key is answered",
          path: "/v1/sessions?limit=1",
          key,
          wrong: ({ status }) => (status === 200 ? undefined : `it answered ${status}`),
          // A key that was set with this version may need a moment; a key that was set before is right or wrong.
          refused: ({ status }) => status === 401 && keyFrom !== undefined,
        },
        {
          name: "GET /readyz",
          path: "/readyz",
          key,
          wrong: ({ status, json }) =>
            status === 200 ? undefined : `it answered ${status}, failed: ${failedParts(json)}`,
          model: ({ json }) => json.checks?.model,
        },
      ]),
]

/**
 * Makes all checks and returns their names as `passed`, and as `model` what answers prompts ("live", "offline", or undefined
 * without a key). The first check that still fails at the end of `patience` is an error.
 * @param {{ url: string, key?: string, keyFrom?: string, hasRootKey: boolean, migration?: string, patience: { forMs: number, everyMs: number }, onWait: (text: string) => void }} input
 *   `keyFrom`: where the key comes from, when the Worker had one before this run; `migration`: the last one, without its
 *   ending, of the code that is to answer
 */
export const checkDeployment = async ({ url, key, keyFrom, hasRootKey, migration, patience, onWait }) => {
  const deadline = Date.now() + patience.forMs
  const passed = []
  let model
  for (const check of checks({ hasRootKey, key, keyFrom, migration })) {
    const { name } = check
    for (let waited = false; ; waited = true) {
      const answer = await get(`${url}${check.path}`, check.key).catch((error) => error)
      const reason =
        answer instanceof Error ? (answer.cause?.code ?? answer.cause?.message ?? answer.name) : check.wrong(answer)
      if (reason === undefined) {
        model ??= check.model?.(answer)
        break
      }
      if (check.refused?.(answer) === true)
        throw new DeployError(
          `The Worker's root key differs from ${keyFrom}.`,
          "Take that one away to deploy without this check, or replace the Worker's with `npx wrangler secret put PERCH_ROOT_KEY`.",
        )
      if (Date.now() >= deadline)
        throw new DeployError(
          `The Worker is deployed, but this check failed at ${url}: ${name} (${reason}).`,
          "A new workers.dev name can take some minutes: npm run deploy -- --check checks again. See docs/deploy.md, Troubleshooting.",
        )
      if (!waited) onWait(`${name}: ${reason}; waiting`)
      await delay(patience.everyMs)
    }
    passed.push(name)
  }
  return { passed, model }
}
