// Receives messages from a page's first one on; returns those that are in the page.
// Invariant: a page is bounded in size, read from the log or from D1, and has at least one message when there is one.

/** Characters of JSON in a page of messages; one message may have more. */
const PAGE_ROOM = 8 * 1024 * 1024

export const pageOf = <Message>(messages: ReadonlyArray<Message>, limit: number): ReadonlyArray<Message> => {
  let [end, room] = [0, PAGE_ROOM]
  for (; end < Math.min(limit, messages.length); end += 1) {
    room -= JSON.stringify(messages[end]).length
    if (room < 0 && end > 0) break
  }
  return messages.slice(0, end)
}
