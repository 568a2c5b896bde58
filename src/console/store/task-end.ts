// Receives a part of a message; returns the end of a background task if the part reports it to the model.
import type { Part } from "./frames.ts"

const REPORT = /^<task-notification>\n[^]*?<tool-use-id>(.+?)<\/tool-use-id>[^]*?<status>(.+?)<\/status>/

/** The id of the call that started the task, and the status with which it has ended: `completed`, `failed`, `killed`, `stopped`. */
export const taskEnd = ({ text = "", synthetic }: Part): readonly [call: string, status: string] | null => {
  const [, call, status] = (synthetic === true && REPORT.exec(text)) || []
  return call === undefined || status === undefined ? null : [call, status]
}
