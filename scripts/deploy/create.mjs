// Creates what the account lacks for a deployment.
// Invariant: a resource that already exists under its name, even if it was created since the lookup, is used and not created
// again.
import { D1_NAME_TAKEN, DeployError, QUEUE_NAME_TAKEN, SUBDOMAIN_TAKEN } from "./errors.mjs"

/** Registers the account's workers.dev subdomain. */
export const createSubdomain = async (api, account, name) => {
  const path = `/accounts/${account}/workers/subdomain`
  const answer = await api.call("PUT", path, { body: { subdomain: name }, absent: [SUBDOMAIN_TAKEN] })
  if (answer === undefined)
    throw new DeployError(`The workers.dev subdomain ${name} belongs to someone else.`, "Give another --subdomain.")
  return answer.subdomain
}

/** Creates the database and returns its id. */
export const createDatabase = async (api, account, name) => {
  const path = `/accounts/${account}/d1/database`
  const made = await api.call("POST", path, { body: { name }, absent: [D1_NAME_TAKEN] })
  if (made !== undefined) return made.uuid
  const found = (await api.list(path, { name })).find((database) => database.name === name)
  if (found === undefined)
    throw new DeployError(
      `Cloudflare reports that a D1 database ${name} exists, but does not list it.`,
      "Wait a minute, then run this again.",
    )
  return found.uuid
}

export const createQueue = async (api, account, name) => {
  await api.call("POST", `/accounts/${account}/queues`, { body: { queue_name: name }, absent: [QUEUE_NAME_TAKEN] })
}
