// An OAuth authorization server on loopback that protects a test MCP server: discovery, registration, client credentials, and
// the authorization code with PKCE.
import { constants, createHash, createPublicKey, randomUUID, verify } from "node:crypto"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import type { Asked, TestMcpServer } from "../server/mcp-server.ts"

export const CLIENT = { id: "perch-client", secret: "secret-of-the-client-4711" }

export interface OAuthServer {
  readonly url: string
  /** What was sent to the token endpoint, and how the client authenticated. */
  readonly tokenRequests: Array<{ readonly form: Readonly<Record<string, string>>; readonly basic: string | undefined }>
  readonly registrations: Array<Readonly<Record<string, unknown>>>
  /** Every token that was issued. */
  readonly given: Array<string>
  /** The lifetime of tokens in seconds. */
  lifetime: number | undefined
  /** Whether clients may register themselves. */
  registers: boolean
  /** How clients may authenticate at the token endpoint. */
  methods: ReadonlyArray<string>
  /** Whether refresh tokens are accepted. */
  refreshes: boolean
  /** Whether the token endpoint is out of order: it answers every request with 503. */
  isDown: boolean
  /** The scopes that a request needs, in addition to `mcp:tools`. */
  needs: (asked: Asked) => ReadonlyArray<string>
  /** Gives the client a public key in PEM instead of its secret. */
  trust(publicKey: string): void
  /** The claims of each accepted assertion. */
  readonly assertions: Array<Readonly<Record<string, unknown>>>
  /** Invalidates the current access tokens. */
  revoke(): void
  /** Protects a server: it answers only requests with a token. */
  protect(server: TestMcpServer): void
  close(): Promise<void>
}

interface Code {
  readonly client: string
  readonly redirect: string
  readonly challenge: string
  readonly scope: string
}

const ASSERTION = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

/** The claims of a signed assertion, or null. */
export const claimsOf = (assertion: string, publicKey: string): Readonly<Record<string, unknown>> | null => {
  const [header = "", claims = "", signature = ""] = assertion.split(".")
  if (claims === "") return null
  const read = (part: string) => JSON.parse(Buffer.from(part, "base64url").toString()) as Record<string, unknown> // the client made it
  const key = createPublicKey(publicKey)
  const digest = key.asymmetricKeyType === "ed25519" ? null : `sha${String(read(header)["alg"]).slice(2)}`
  const verifier =
    key.asymmetricKeyType === "ec" ? ({ key, dsaEncoding: "ieee-p1363" } as const) : { key, ...paddingOf(read(header)) }
  const good = verify(digest, Buffer.from(`${header}.${claims}`), verifier, Buffer.from(signature, "base64url"))
  return good ? read(claims) : null
}

const paddingOf = ({ alg }: Readonly<Record<string, unknown>>) =>
  alg === "PS256" ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 } : {}

export const startOAuthServer = async (): Promise<OAuthServer> => {
  /** Access tokens, each with its scopes. */
  const valid = new Map<string, string>()
  let publicKey: string | undefined
  const refresh = new Map<string, string>()
  const codes = new Map<string, Code>()
  const clients = new Map<string, string | undefined>([[CLIENT.id, CLIENT.secret]])

  /** How each client that has registered itself authenticates. */
  const registered = new Map<string, string>()

  const metadata = () => ({
    issuer: made.url,
    authorization_endpoint: `${made.url}/authorize`,
    token_endpoint: `${made.url}/token`,
    ...(made.registers ? { registration_endpoint: `${made.url}/register` } : {}),
    response_types_supported: ["code"],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: made.methods,
  })

  const tokens = (scope = "") => {
    const access = `access-${randomUUID()}`
    const again = `refresh-${randomUUID()}`
    valid.set(access, scope)
    refresh.set(again, scope)
    made.given.push(access, again)
    const { lifetime } = made
    return {
      access_token: access,
      token_type: "Bearer",
      ...(lifetime === undefined ? {} : { expires_in: lifetime }),
      refresh_token: again,
    }
  }

  const isClient = (form: Readonly<Record<string, string>>, client: string, secret: string | undefined): boolean => {
    if (publicKey === undefined || client !== CLIENT.id) return clients.has(client) && clients.get(client) === secret
    const claims = claimsOf(form["client_assertion"] ?? "", publicKey)
    if (claims === null || form["client_assertion_type"] !== ASSERTION) return false
    const used = made.assertions.some(({ jti }) => jti === claims["jti"])
    made.assertions.push(claims)
    const { iss, sub, aud, exp } = claims
    return !used && iss === client && sub === client && aud === made.url && Number(exp) * 1000 > Date.now()
  }

  const grant = (form: Readonly<Record<string, string>>, client: string, secret: string | undefined): object => {
    if (!isClient(form, client, secret)) return { error: "invalid_client" }
    switch (form["grant_type"]) {
      case "client_credentials": {
        const { refresh_token: _, ...answer } = tokens(form["scope"])
        return answer
      }
      case "refresh_token": {
        const scope = refresh.get(form["refresh_token"] ?? "")
        refresh.delete(form["refresh_token"] ?? "")
        return scope !== undefined && made.refreshes ? tokens(scope) : { error: "invalid_grant" }
      }
      case "authorization_code": {
        const code = codes.get(form["code"] ?? "")
        codes.delete(form["code"] ?? "")
        const challenge = createHash("sha256")
          .update(form["code_verifier"] ?? "")
          .digest("base64url")
        const good = code?.client === client && code.redirect === form["redirect_uri"] && code.challenge === challenge
        return good ? tokens(code.scope) : { error: "invalid_grant" }
      }
      default:
        return { error: "unsupported_grant_type" }
    }
  }

  const json = (response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}) =>
    void response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body))

  const authorize = (url: URL, response: ServerResponse) => {
    const asked = Object.fromEntries(url.searchParams)
    const { client_id: client = "", redirect_uri: redirect = "", code_challenge: challenge = "" } = asked
    if (!clients.has(client) || asked["code_challenge_method"] !== "S256" || challenge === "") {
      return json(response, 400, { error: "invalid_request" })
    }
    const code = `code-${randomUUID()}`
    codes.set(code, { client, redirect, challenge, scope: asked["scope"] ?? "" })
    const back = new URL(redirect)
    back.searchParams.set("code", code)
    back.searchParams.set("state", asked["state"] ?? "")
    back.searchParams.set("iss", made.url)
    response.writeHead(302, { location: back.href }).end()
  }

  const answer = (
    method: string,
    url: URL,
    text: string,
    authorization: string | undefined,
    response: ServerResponse,
  ) => {
    switch (`${method} ${url.pathname}`) {
      case "GET /.well-known/oauth-authorization-server":
        return json(response, 200, metadata())
      case "GET /authorize":
        return authorize(url, response)
      case "POST /register": {
        // The test's own client sent it.
        const registration = JSON.parse(text) as Record<string, unknown>
        made.registrations.push(registration)
        const method = String(registration["token_endpoint_auth_method"])
        if (!["client_secret_basic", "client_secret_post", "none"].includes(method))
          return json(response, 400, { error: "invalid_client_metadata" })
        const id = `client-${randomUUID()}`
        const secret = method === "none" ? undefined : `secret-${randomUUID()}`
        clients.set(id, secret)
        registered.set(id, method)
        return json(response, 201, { client_id: id, ...(secret === undefined ? {} : { client_secret: secret }) })
      }
      case "POST /token": {
        const form = Object.fromEntries(new URLSearchParams(text))
        const basic = authorization?.startsWith("Basic ") === true ? atob(authorization.slice(6)) : undefined
        made.tokenRequests.push({ form, basic })
        if (made.isDown) return json(response, 503, { error: "temporarily_unavailable" })
        const [client = "", secret] = basic?.split(":").map(decodeURIComponent) ?? [
          form["client_id"],
          form["client_secret"],
        ]
        const method =
          secret === undefined ? "none" : basic === undefined ? "client_secret_post" : "client_secret_basic"
        const isOwn = (registered.get(client) ?? method) === method
        const given = isOwn ? grant(form, client, secret) : { error: "invalid_client" }
        return json(response, "error" in given ? 400 : 200, given)
      }
      default:
        return json(response, 404, { error: "not_found" })
    }
  }

  const listener = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const url = new URL(request.url ?? "/", made.url)
      answer(request.method ?? "", url, Buffer.concat(chunks).toString(), request.headers.authorization, response)
    })
  })
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve))
  const made: OAuthServer = {
    url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    tokenRequests: [],
    registrations: [],
    given: [],
    lifetime: 3600,
    registers: true,
    methods: ["client_secret_basic", "private_key_jwt", "none"],
    refreshes: true,
    isDown: false,
    needs: () => [],
    trust: (key) => {
      publicKey = key
    },
    assertions: [],
    revoke: () => valid.clear(),
    protect: (server) => {
      const known = "/.well-known/oauth-protected-resource"
      server.intercept = (asked, response) => {
        const { path, headers } = asked
        if (path.startsWith(known)) {
          const resource = `${server.url}${path.slice(known.length)}`
          json(response, 200, { resource, authorization_servers: [made.url], scopes_supported: ["mcp:tools"] })
          return true
        }
        const granted = valid.get(headers.authorization?.replace(/^Bearer /, "") ?? "")?.split(" ")
        const missing = granted === undefined ? [] : made.needs(asked).filter((scope) => !granted.includes(scope))
        if (granted !== undefined && missing.length === 0) return false
        const error = granted === undefined ? "invalid_token" : "insufficient_scope"
        const scope = missing.length === 0 ? "" : `, scope="${missing.join(" ")}"`
        const challenge = `Bearer error="${error}"${scope}, resource_metadata="${server.url}${known}${path}"`
        json(response, granted === undefined ? 401 : 403, { error }, { "www-authenticate": challenge })
        return true
      }
    },
    close: async () => {
      listener.closeAllConnections()
      await new Promise((resolve) => listener.close(resolve))
    },
  }
  return made
}
