// The small fixed tree in which every line of the table runs, and how the lines are read from their files.
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

const orders = {
  orders: [
    {
      id: 1,
      customer: "Alice",
      items: [
        { sku: "A1", qty: 2, price: 9.5 },
        { sku: "B2", qty: 1, price: 20 },
      ],
      paid: true,
      note: null,
    },
    { id: 2, customer: "Bob", items: [{ sku: "A1", qty: 5, price: 9.5 }], paid: false, note: "call first" },
    { id: 3, customer: "Alice", items: [{ sku: "C3", qty: 3, price: 4.25 }], paid: true, note: "gift" },
  ],
}

const log = [
  ["10.0.0.1", "10:00:01", "GET /index.html", 200, 5120],
  ["10.0.0.2", "10:00:03", "GET /missing", 404, 312],
  ["10.0.0.1", "10:01:10", "POST /orders", 201, 98],
  ["10.0.0.3", "10:01:42", "GET /index.html", 200, 5120],
  ["10.0.0.2", "10:02:00", "GET /admin", 403, 120],
  ["10.0.0.1", "10:02:15", "GET /orders", 500, 0],
].map(
  ([ip, time, request, status, size]) =>
    `${ip} - - [01/Mar/2026:${time} +0000] "${request} HTTP/1.1" ${status} ${size}`,
)

const lines = (...all) => `${all.join("\n")}\n`

/** A string is a file, an array a file with a mode, null a directory, an object a symbolic link. */
export const TREE = {
  "README.md": lines("# Shop", "", "A small shop.", "", "## Usage", "", "Run `make` first."),
  "blank.txt": "",
  bin: null,
  "bin/run.sh": [lines("#!/bin/sh", 'echo "running $1"'), 0o755],
  current: { link: "data/words.txt" },
  data: null,
  "data/access.log": lines(...log),
  "data/config.ini": lines(
    "# settings",
    "[server]",
    "host = localhost",
    "port = 8080",
    "",
    "[client]",
    "retries = 3",
    "verbose = true",
  ),
  "data/numbers.txt": lines(10, 9, 2, 33, 1, 100, -5, 2.5),
  "data/orders.json": lines(JSON.stringify(orders, null, 2)),
  "data/people.csv": lines(
    "name,age,city,salary",
    "Alice,34,Paris,5200",
    "Bob,27,London,4100",
    "Carla,45,Rome,6100",
    "Dmitri,27,Paris,3900",
    "Eve,52,London,7300",
    "Farid,31,Rome,4800",
  ),
  "data/words.txt": lines(
    "banana",
    "apple",
    "cherry",
    "apple",
    "date",
    "Banana",
    "fig",
    "elderberry",
    "cherry",
    "apple",
  ),
  empty: null,
  notes: null,
  "notes/.hidden": lines("secret"),
  "notes/a.txt": lines("first note"),
  "notes/b.txt": lines("second note", "two lines"),
  src: null,
  "src/lib": null,
  "src/lib/math.js": lines("export const add = (a, b) => a + b", "export const mul = (a, b) => a * b"),
  "src/lib/util.js": lines('import { add } from "./math.js"', "", "export const inc = (n) => add(n, 1)"),
  "src/main.js": lines('import { inc } from "./lib/util.js"', "", "// prints 2", "console.log(inc(1))"),
  "src/my file.txt": lines("a name with a space"),
}

/** Where the tree is, as the scripts see it. */
export const ROOT = "/workspace"

/** The lines by family: a file per family, a line of the table after each `#### title`. */
export const readTable = () =>
  readdirSync(import.meta.dirname)
    .filter((name) => name.endsWith(".sh"))
    .sort()
    .map((name) => ({
      family: name.slice(0, -3),
      lines: readFileSync(join(import.meta.dirname, name), "utf8")
        .split(/^#### /m)
        .slice(1)
        .map((text) => {
          const end = text.indexOf("\n")
          return { title: text.slice(0, end), script: text.slice(end + 1) }
        }),
    }))

/** What differs between two trees: the new entry, or null for what is gone. */
export const changesOf = (before, after) => {
  const changes = {}
  for (const path of [...new Set([...Object.keys(before), ...Object.keys(after)])].sort())
    if (JSON.stringify(before[path]) !== JSON.stringify(after[path])) changes[path] = after[path] ?? null
  return changes
}
