// Rows of the route table: the console's sign-in on the machine that Perch runs on.
import { CreatedKey, SignInCode, SignInWithCode } from "../../../schemas/api/credentials.ts"
import { route } from "../../route.ts"
import { answer, NoFields } from "../parts.ts"

export const createSignInCode = route({
  id: "createSignInCode",
  method: "post",
  path: "/v1/admin/sign-in-codes",
  summary: "Create a one-time code that signs the console in",
  description:
    "Requires the root key and a server that `npm start` runs on loopback; any other server returns 404. The code can be used once, within ten minutes. `npm start` and `npm run signin` print `url`.",
  tag: "admin",
  auth: "admin",
  body: NoFields,
  answers: { 201: answer("The code.", SignInCode) },
  errors: ["permission_error", "not_found_error"],
})

export const signIn = route({
  id: "signIn",
  method: "post",
  path: "/v1/sign-in",
  summary: "Exchange a one-time code for a key",
  description:
    "For the page of a server that `npm start` runs on loopback: `Host` must be a loopback host and `Origin` must match it, otherwise it is a 403. The key has all scopes in the root key's tenant, the label `console`, and expires after twelve hours; it is not the root key. A wrong, used or expired code is a 401, and twenty wrong codes invalidate all existing codes. On any other server it is a 404.",
  tag: "admin",
  auth: "none",
  body: SignInWithCode,
  answers: { 201: answer("The key; it is shown once.", CreatedKey) },
  errors: [
    "authentication_error",
    "permission_error",
    "not_found_error",
    "service_unavailable_error",
    "overloaded_error",
  ],
  example: { code: "Nq3l1rV0cN8c0n9kQm4yJ2b7sT5xW6zA" },
})
