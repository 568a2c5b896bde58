// Rows of the route table: a session's workspace.
import { Schema } from "effect"
import * as Api from "../../schemas/api.ts"
import { Uuid } from "../../schemas/ids.ts"
import { route } from "../route.ts"
import { answer, Cursor, Limit, list, SessionId } from "./parts.ts"

const FilePath = Schema.Struct({ id: Uuid, path: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(4096)) })

export const listFiles = route({
  id: "listFiles",
  method: "get",
  path: "/v1/sessions/{id}/files",
  summary: "List the workspace's files",
  tag: "files",
  auth: "key",
  params: SessionId,
  query: Schema.Struct({
    prefix: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(4096))),
    cursor: Cursor,
    limit: Limit(1000),
  }),
  answers: { 200: answer("A page of files.", list("files", Api.File, { next_cursor: Schema.NullOr(Schema.String) })) },
})

export const getFile = route({
  id: "getFile",
  method: "get",
  path: "/v1/sessions/{id}/files/{path}",
  summary: "Read a file",
  tag: "files",
  auth: "key",
  params: FilePath,
  headers: { "If-None-Match": "An `etag` seen before: the same file is a 304." },
  answers: {
    200: { description: "The file's bytes.", contentType: "application/octet-stream" },
    304: { description: "The file is the one with that `etag`." },
  },
})

export const putFile = route({
  id: "putFile",
  method: "put",
  path: "/v1/sessions/{id}/files/{path}",
  summary: "Write a file (at most 32 MiB) and its parent folders",
  tag: "files",
  auth: "key",
  params: FilePath,
  bytes: true,
  answers: { 200: answer("Replaced.", Api.File), 201: answer("Created.", Api.File) },
  errors: ["conflict_error"],
})

export const deleteFile = route({
  id: "deleteFile",
  method: "delete",
  path: "/v1/sessions/{id}/files/{path}",
  summary: "Delete a file or folder",
  tag: "files",
  auth: "key",
  params: FilePath,
  answers: { 204: { description: "Deleted." } },
})
