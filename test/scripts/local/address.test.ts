// The address and the port that `npm start`, `npm run signin` and `npm run doctor` accept, and the URL that they make of them.
import { expect, it } from "vitest"
import { readAddress, readPort, urlOf } from "../../../scripts/local/address.mjs"

it.each([
  ["127.0.0.1", "http://127.0.0.1:8787"],
  ["localhost", "http://127.0.0.1:8787"],
  ["::1", "http://[::1]:8787"],
  ["[0:0:0:0:0:0:0:1]", "http://[::1]:8787"],
  ["*", "http://127.0.0.1:8787"],
  ["::", "http://[::1]:8787"],
])("a server of --ip %s is at %s", (ip, url) => {
  expect(urlOf({ protocol: "http", ip: readAddress(ip), port: 8787 })).toBe(url)
})

it.each(["perch.example", "fe80::1%eth0", "10.0.0", ""])("--ip %s is refused by name", (ip) => {
  expect(() => readAddress(ip)).toThrow(`--ip ${ip} is not an IP address`)
})

it.each(["65536", "1.5", "0x50", "-1", ""])("--port %s is refused by name", (port) => {
  expect(() => readPort("port", port)).toThrow(`--port ${port} is not a port`)
})
