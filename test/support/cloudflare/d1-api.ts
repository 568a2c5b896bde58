// D1's API: databases by name and id, and SQL that runs on a real SQLite.
import type { DatabaseSync } from "node:sqlite"
import { json, ok, page, refuse, type Route } from "./answer.ts"

const row = ({ uuid, name }: { uuid: string; name: string }) => ({ uuid, name, version: "production", num_tables: 0 })
const notFound = refuse(404, 7404, "The database does not exist")

/** The statements of one request are one transaction, as in D1. */
const atomically = (sqlite: DatabaseSync, sql: string): void => {
  sqlite.exec("BEGIN")
  try {
    sqlite.exec(sql)
    sqlite.exec("COMMIT")
  } catch (error) {
    sqlite.exec("ROLLBACK")
    throw error
  }
}

export const D1_ROUTES: ReadonlyArray<Route> = [
  [
    "d1",
    "GET",
    /^\/d1\/database$/,
    ({ state, query }) => {
      // The real API matches a part of the name.
      const name = query.get("name") ?? ""
      const found = state.databases.filter((database) => database.name.includes(name))
      return page(found.map(row), query)
    },
  ],
  [
    "d1",
    "POST",
    /^\/d1\/database$/,
    (request) => {
      const name = String(json(request)["name"])
      if (request.state.database(name)) return refuse(400, 7502, `A database with name '${name}' already exists`)
      if (request.state.databases.length >= request.state.databaseLimit)
        return refuse(400, 7406, "You have reached the maximum number of databases for your account")
      return ok(row(request.state.addDatabase(name)))
    },
  ],
  [
    "d1",
    "GET",
    /^\/d1\/database\/([^/]+)$/,
    ({ state }, key) => {
      const found = state.databases.find(({ uuid, name }) => uuid === key || name === key)
      return found === undefined ? notFound : ok(row(found))
    },
  ],
  [
    "d1",
    "POST",
    /^\/d1\/database\/([^/]+)\/query$/,
    (request, key) => {
      const database = request.state.databases.find(({ uuid }) => uuid === key)
      if (database === undefined) return notFound
      const sql = String(json(request)["sql"])
      const meta = { duration: 0, changes: 0, rows_read: 0, rows_written: 0 }
      try {
        // A migration has many statements, none of which returns rows; every other request has one.
        if (!/^\s*(SELECT|PRAGMA)/i.test(sql)) {
          atomically(database.sql, sql)
          return ok([{ results: [], success: true, meta }])
        }
        return ok([{ results: database.sql.prepare(sql).all(), success: true, meta }])
      } catch (error) {
        return refuse(400, 7500, error instanceof Error ? error.message : "SQLITE_ERROR")
      }
    },
  ],
]
