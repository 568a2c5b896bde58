import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { isPublicUrl } from "../../src/net/public-address.ts"
import { NO_HTTP_ADDRESS, PRIVATE } from "./closed-addresses.ts"

const PUBLIC = [
  "https://hooks.acme.com",
  "http://hooks.acme.com:8080/path?token=1#part",
  "https://HOOKS.acme.com.",
  "https://bücher.de/hook",
  "https://xn--bcher-kva.de",
  "https://localhost.acme.com",
  "https://internal.acme.com",
  "https://10.acme.com",
  "https://1.2.3.4.acme.com",
  "https://ec2-54-12-3-4.acme.com",
  "https://v10-0-0-1.acme.com",
  "https://notnip.io",
  "https://8.8.8.8",
  "https://1.1.1.1",
  "https://134744072",
  "https://172.15.255.255",
  "https://172.32.0.1",
  "https://192.167.255.255",
  "https://192.169.0.1",
  "https://100.63.255.255",
  "https://100.128.0.1",
  "https://169.253.255.255",
  "https://126.255.255.255",
  "https://128.0.0.1",
  "https://223.255.255.255",
  "https://[2606:4700:4700::1111]",
  "https://[2a00:1450:4001:81b::200e]",
  "https://[2001:4860:4860::8888]",
  "http:\\\\hooks.acme.com\\path",
]

describe("an address", () => {
  it.each(PRIVATE)("%s is not public", (url) => {
    expect(isPublicUrl(url)).toBe(false)
    expect(isPublicUrl(url.replace("http:", "https:"))).toBe(false)
  })

  it.each(PRIVATE)("%s may be called if private addresses are allowed", (url) => {
    expect(isPublicUrl(url, true)).toBe(true)
  })

  it.each(NO_HTTP_ADDRESS)("%j is never called", (url) => {
    expect(isPublicUrl(url)).toBe(false)
    expect(isPublicUrl(url, true)).toBe(false)
  })

  it.each(PUBLIC)("%s is public", (url) => expect(isPublicUrl(url)).toBe(true))

  it("gets the same verdict in every spelling of IPv4", () => {
    const byte = fc.oneof(fc.constantFrom(0, 10, 127, 169, 172, 192, 168, 254, 100, 64, 16, 255), fc.nat({ max: 255 }))
    fc.assert(
      fc.property(fc.tuple(byte, byte, byte, byte), ([a, b, c, d]) => {
        const whole = ((a * 256 + b) * 256 + c) * 256 + d
        const spellings = [
          `${whole}`,
          `0x${whole.toString(16)}`,
          `0${whole.toString(8)}`,
          `${a}.${b}.${c * 256 + d}`,
          `${a}.${(b * 256 + c) * 256 + d}`,
          `0x${a.toString(16)}.0${b.toString(8)}.${c}.0X${d.toString(16)}`,
          `${a}.${b}.${c}.${d}.`,
        ]
        const plain = isPublicUrl(`http://${a}.${b}.${c}.${d}`)
        for (const spelling of spellings) expect(isPublicUrl(`http://${spelling}/`), spelling).toBe(plain)
        expect(isPublicUrl(`http://[::ffff:${a}.${b}.${c}.${d}]`)).toBe(false)
        expect(isPublicUrl(`http://[64:ff9b::${a}.${b}.${c}.${d}]`)).toBe(false)
      }),
    )
  })
})
