// Receives a file's path, decoded or in a URL; returns the address under which a session's object serves the file.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { FilePath, PATH_LIMITS } from "../schemas/absolute-path.ts"
import { type ApiError, invalidField } from "./errors/errors.ts"
import { isPercentEncoded } from "./percent-encoded.ts"

const isPath = Schema.is(FilePath)

/** `path` is decoded and without its leading slash. Fails for a path that no file can have. */
export const fileUrl = (path: string): Effect.Effect<string, ApiError> =>
  isPath(`/${path}`)
    ? Effect.succeed(`http://session/files/${path.split("/").map(encodeURIComponent).join("/")}`)
    : Effect.fail(
        invalidField(
          "path",
          `must be a file's path without \`.\`, \`..\`, empty segments or a NUL character, ${PATH_LIMITS}`,
        ),
      )

/** The same for the `path` of a request's URL. Fails for a URL whose escapes are not valid UTF-8: it does not name one file. */
export const requestedFile = (path: string, request: Request): Effect.Effect<string, ApiError> =>
  isPercentEncoded(new URL(request.url).pathname)
    ? fileUrl(path)
    : Effect.fail(invalidField("path", "must be percent-encoded UTF-8, with `%25` for a percent sign in a name"))
