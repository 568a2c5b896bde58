import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { isPublicUrl } from "../../src/hooks/public-address.ts"

const PRIVATE = [
  // loopback
  "http://localhost",
  "http://LOCALHOST:8080/x",
  "http://localhost.",
  "http://localhost../",
  "http://app.localhost",
  "http://%6c%6f%63%61%6c%68%6f%73%74",
  "http://ｌｏｃａｌｈｏｓｔ",
  "http://127.0.0.1",
  "http://127.0.0.1.",
  "http://127.0.0.1../",
  "http://127.1",
  "http://127.0.1",
  "http://127.255.255.254",
  "http://2130706433",
  "http://0x7f000001",
  "http://0x7F.1",
  "http://0x7f.0x0.0x0.0x1",
  "http://0177.0.0.1",
  "http://0177.1",
  "http://017700000001",
  "http://00000000177.0.0.01",
  "http://127.0.0.0x1",
  "http://1②7.⓪.⓪.①",
  "http://127。0。0。1",
  "http://[::1]",
  "http://[0:0:0:0:0:0:0:1]",
  "http://[0000:0000::0001]:80",
  "http://[::127.0.0.1]",
  "http://[::]",
  "http://0",
  "http://0.0.0.0",
  "http://0x0",
  "http://0.1.2.3",
  // IPv4 inside IPv6
  "http://[::ffff:127.0.0.1]",
  "http://[::ffff:7f00:1]",
  "http://[0:0:0:0:0:ffff:a00:1]",
  "http://[::ffff:8.8.8.8]",
  "http://[::ffff:0:127.0.0.1]",
  "http://[64:ff9b::127.0.0.1]",
  "http://[64:ff9b::10.0.0.1]",
  "http://[64:ff9b:1::1]",
  "http://[2002:7f00:1::]",
  "http://[2002:c0a8:101::1]",
  "http://[2001:0:7f00:1::]",
  "http://[2606:4700::5efe:10.0.0.1]",
  "http://[2606:4700::200:5efe:127.0.0.1]",
  // private, shared, link-local, unique local
  "http://10.0.0.1",
  "http://10.255.255.255",
  "http://10.1",
  "http://167772161",
  "http://012.0.0.1",
  "http://172.16.0.1",
  "http://172.31.255.255",
  "http://192.168.0.1",
  "http://0xC0A80001",
  "http://192.168.257",
  "http://3232235521",
  "http://100.64.0.1",
  "http://100.127.255.255",
  "http://[fe80::1]",
  "http://[febf::1]",
  "http://[fec0::1]",
  "http://[fc00::1]",
  "http://[fd12:3456:789a::1]",
  "http://[ff02::1]",
  // metadata services
  "http://169.254.169.254/latest/meta-data/",
  "http://0xA9FEA9FE",
  "http://2852039166",
  "http://0251.0376.0251.0376",
  "http://[::ffff:a9fe:a9fe]",
  "http://[fd00:ec2::254]",
  "http://169.254.170.2",
  "http://100.100.100.200",
  "http://168.63.129.16",
  "http://192.0.0.192",
  "http://metadata.google.internal",
  "http://METADATA.GOOGLE.INTERNAL./computeMetadata",
  "http://metadata",
  // reserved
  "http://192.0.2.1",
  "http://198.51.100.7",
  "http://203.0.113.255",
  "http://192.88.99.1",
  "http://198.18.0.1",
  "http://198.19.255.255",
  "http://224.0.0.1",
  "http://239.255.255.250",
  "http://240.0.0.1",
  "http://255.255.255.255",
  "http://4294967295",
  "http://[2001:db8::1]",
  "http://[2001:20::1]",
  "http://[3fff::1]",
  "http://[100::1]",
  "http://[4000::1]",
  // names of local networks
  "http://printer",
  "http://printer.local",
  "http://db.internal",
  "http://db.internal.",
  "http://wiki.corp",
  "http://nas.lan",
  "http://router.home",
  "http://router.home.arpa",
  "http://1.0.0.127.in-addr.arpa",
  "http://host.docker.internal",
  "http://a..b.com",
  "http://service.test",
  "http://hidden.onion",
]

const NO_HTTP_ADDRESS = [
  "",
  "hooks.acme.com",
  "//hooks.acme.com",
  "http://",
  "http:///",
  "ftp://hooks.acme.com",
  "file:///etc/passwd",
  "data:application/json,{}",
  "javascript:alert(1)",
  "ws://hooks.acme.com",
  "blob:https://hooks.acme.com/1",
  "http://user@hooks.acme.com",
  "http://user:secret@hooks.acme.com",
  "http://:secret@hooks.acme.com",
  "http://hooks.acme.com@10.0.0.1",
  "http://hooks.acme.com:99999",
  "http://1.2.3.4.5",
  "http://256.256.256.256",
  "http://[fe80::1%25eth0]",
  "http://[::1",
  "http://exa mple.com",
  `https://hooks.acme.com/${"x".repeat(2000)}`,
]

const PUBLIC = [
  "https://hooks.acme.com",
  "http://hooks.acme.com:8080/path?token=1#part",
  "https://HOOKS.acme.com.",
  "https://bücher.de/hook",
  "https://xn--bcher-kva.de",
  "https://localhost.acme.com",
  "https://internal.acme.com",
  "https://10.acme.com",
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

  it.each(PRIVATE)("%s may be called where private addresses are allowed", (url) => {
    expect(isPublicUrl(url, true)).toBe(true)
  })

  it.each(NO_HTTP_ADDRESS)("%j is never called", (url) => {
    expect(isPublicUrl(url)).toBe(false)
    expect(isPublicUrl(url, true)).toBe(false)
  })

  it.each(PUBLIC)("%s is public", (url) => expect(isPublicUrl(url)).toBe(true))

  it("is judged the same in every spelling of IPv4", () => {
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
