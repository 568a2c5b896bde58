// Rows of the route table: a session's workspace.
import * as Schema from "effect/Schema"
import { FilePath, MAX_PATH_BYTES } from "../../schemas/absolute-path.ts"
import * as Files from "../../schemas/api/files.ts"
import { Uuid } from "../../schemas/ids.ts"
import { route } from "../route.ts"
import { answer, At, Limit, list, SessionId } from "./parts.ts"

/** `path` is a `FilePath` without its leading slash. */
const FileParams = Schema.Struct({
  id: Uuid,
  path: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(MAX_PATH_BYTES - 1)),
})

const WRITE_CONDITIONS = {
  "If-Match":
    "The request is done only if the file has this `etag`, or with `*` only if the file exists. Otherwise it is a 412.",
  "If-None-Match": "With `*` the request is done only if there is no such file. Otherwise it is a 412.",
}

/** The cursor is the last path of a page; the next page starts after it. */
const PathCursor = Schema.optionalKey(
  Schema.String.check(
    Schema.isPattern(/^\//, { message: "must be the next_cursor of a page" }),
    Schema.isMaxLength(4096),
  ),
)

export const listFiles = route({
  id: "listFiles",
  method: "get",
  path: "/v1/sessions/{id}/files",
  summary: "List the workspace's files",
  description:
    "In path order, each with its size, mode and the SHA-256 of its content: enough to compare two trees. `limits` is how much the whole workspace may contain (`files` counts folders and links too), `used` how much it contains.",
  tag: "files",
  auth: "files",
  params: SessionId,
  query: Schema.Struct({
    prefix: Schema.optionalKey(Files.ListedPath),
    cursor: PathCursor,
    limit: Limit(1000),
    at: At,
  }),
  answers: {
    200: answer(
      "A page of files.",
      list("files", Files.FileInfo, {
        next_cursor: Schema.NullOr(Schema.String),
        limits: Files.FileLimits,
        used: Files.FilesUsed,
        files_at: Files.FilesAt,
      }),
    ),
  },
})

export const getFile = route({
  id: "getFile",
  method: "get",
  path: "/v1/sessions/{id}/files/{path}",
  summary: "Read a file",
  description: "The content type depends on the name. Ranges and conditions work as in RFC 9110.",
  tag: "files",
  auth: "files",
  params: FileParams,
  query: Schema.Struct({ at: At }),
  headers: {
    "If-None-Match": "An `etag` from an earlier response: an unchanged file is a 304.",
    "If-Match": "A file with another `etag` is a 412.",
    Range: "One range of bytes (`bytes=0-99`, `bytes=100-`, `bytes=-100`): a 206.",
    "If-Range": "The range applies only if the file has this `etag`.",
  },
  answers: {
    200: {
      description: "The file's bytes, with the content type of its name's extension.",
      contentType: "*/*",
      headers: ["etag", "accept-ranges", "perch-files-at"],
    },
    206: {
      description: "The bytes of the range.",
      contentType: "*/*",
      headers: ["etag", "content-range"],
    },
    304: { description: "The file still has that `etag`.", headers: ["etag"] },
  },
  errors: ["precondition_failed_error", "range_not_satisfiable_error"],
})

export const putFile = route({
  id: "putFile",
  method: "put",
  path: "/v1/sessions/{id}/files/{path}",
  summary: "Write a file (at most 32 MiB) and its parent folders",
  description:
    "Files of up to 32 MiB. Use it for content that is too large for a prompt, and refer to the path in the prompt.",
  tag: "files",
  auth: "files",
  params: FileParams,
  bytes: true,
  headers: WRITE_CONDITIONS,
  answers: { 200: answer("Replaced.", Files.FileInfo, "etag"), 201: answer("Created.", Files.FileInfo, "etag") },
  errors: ["conflict_error", "precondition_failed_error"],
})

export const deleteFile = route({
  id: "deleteFile",
  method: "delete",
  path: "/v1/sessions/{id}/files/{path}",
  summary: "Delete a file or folder",
  description: "A folder is deleted with everything in it.",
  tag: "files",
  auth: "files",
  params: FileParams,
  headers: WRITE_CONDITIONS,
  answers: { 204: { description: "Deleted." } },
  errors: ["precondition_failed_error"],
})

export const rewindFiles = route({
  id: "rewindFiles",
  method: "post",
  path: "/v1/sessions/{id}/rewind",
  summary: "Restore the files to their state at a user message",
  description:
    "Every prompt is a checkpoint, identified by its uuid. Files, folders and links are restored, and those created since are removed; the conversation does not change. A dry run reports what would change. 409 while a turn is open.",
  tag: "files",
  auth: "files",
  params: SessionId,
  body: Files.Rewind,
  answers: { 200: answer("What was changed, or would be.", Files.RewindReport) },
  errors: ["conflict_error"],
  example: { user_message_id: "0199a000-0000-4000-8000-000000000001", dry_run: true },
})

export const listCheckpoints = route({
  id: "listCheckpoints",
  method: "get",
  path: "/v1/sessions/{id}/checkpoints",
  summary: "List the user messages that files can be rewound to",
  description:
    "Every prompt is a checkpoint, identified by its uuid, from which files can be restored and compared. So are a fork's start (`fork:…`), and the points before and after a revert that restored files (`revert:…`).",
  tag: "files",
  auth: "files",
  params: SessionId,
  answers: { 200: answer("The ids of the newest 10,000 checkpoints, in order.", list("checkpoints", Schema.String)) },
})

export const diffFiles = route({
  id: "diffFiles",
  method: "get",
  path: "/v1/sessions/{id}/diff",
  summary: "Compare the files of two checkpoints, or of a checkpoint and now",
  description:
    "By default `from` is the first checkpoint and `to` is now; with `at` (and no `to`) it is right after that event. At most 1000 files; each `before` and `after` is cut at 100,000 characters, and files that are larger than 1 MB or not text are marked.",
  tag: "files",
  auth: "files",
  params: SessionId,
  query: Schema.Struct({
    from: Schema.optionalKey(Files.CheckpointId),
    to: Schema.optionalKey(Files.CheckpointId),
    at: At,
    format: Schema.optionalKey(Schema.Literals(["json", "unified"])),
  }),
  headers: { Accept: "`text/x-diff` is the same as `format=unified`." },
  answers: {
    200: { ...answer("The files that differ, or only the unified text.", Files.Diff), contentType: "text/x-diff" },
  },
})

const Archive = Schema.Struct({
  path: Schema.optionalKey(FilePath),
  format: Schema.optionalKey(Schema.Literals(["tar", "tar.gz"])),
})

export const getArchive = route({
  id: "getArchive",
  method: "get",
  path: "/v1/sessions/{id}/archive",
  summary: "Download the workspace, or the part of it below a path, as a tar archive",
  description:
    "Names are relative to `path` (default `/`). It is a consistent snapshot of the tree, even if files change meanwhile.",
  tag: "files",
  auth: "files",
  params: SessionId,
  query: Archive,
  headers: { Accept: "`application/gzip` is the same as `format=tar.gz`." },
  answers: {
    200: {
      description: "The archive.",
      contentType: ["application/x-tar", "application/gzip"],
      headers: ["content-disposition"],
    },
  },
})

export const putArchive = route({
  id: "putArchive",
  method: "put",
  path: "/v1/sessions/{id}/archive",
  summary: "Extract a tar archive into the workspace, below a path",
  description:
    "All of it or nothing: files are replaced, and files that the archive does not contain are kept. Absolute names, `..`, links that point out of `path` (default `/`), devices and sparse files are refused. `format`, `Content-Type: application/gzip` or the first bytes determine whether it is compressed.",
  tag: "files",
  auth: "files",
  params: SessionId,
  query: Archive,
  bytes: true,
  answers: { 200: answer("What was written.", Files.ImportReport) },
  errors: ["conflict_error"],
})
