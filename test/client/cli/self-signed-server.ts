// An HTTPS server on loopback with a self-signed certificate, as `npm start -- --local-protocol https` has.
import http from "node:http"
import https from "node:https"
import type { AddressInfo } from "node:net"
import { onTestFinished } from "vitest"

const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgHSqqfCpKA2OdLcQ7
UWS4HYUAmV/svmzyM+kGEiElFDihRANCAAQEvZPi8tReYfvRmGoVQZCEcsrvl+ET
RT1z11XoJig9FE1MU6Be4xbYYOaTmRdB7yFYsUkL2uzVHIm43/DRPfPk
-----END PRIVATE KEY-----`

const cert = `-----BEGIN CERTIFICATE-----
MIIBgTCCASegAwIBAgIUPnumlRfCk9OIpQ/VVc5JDDPW24EwCgYIKoZIzj0EAwIw
FTETMBEGA1UEAwwKcGVyY2gudGVzdDAgFw0yNjExMjYyMjE5MTJaGA8yMTI2MTEw
MjIyMTkxMlowFTETMBEGA1UEAwwKcGVyY2gudGVzdDBZMBMGByqGSM49AgEGCCqG
SM49AwEHA0IABAS9k+Ly1F5h+9GYahVBkIRyyu+X4RNFPXPXVegmKD0UTUxToF7j
Fthg5pOZF0HvIVixSQva7NUcibjf8NE98+SjUzBRMB0GA1UdDgQWBBRvpmfkh4jW
TTFgrQ7Tkhu2NRhdQjAfBgNVHSMEGDAWgBRvpmfkh4jWTTFgrQ7Tkhu2NRhdQjAP
BgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0gAMEUCIBnTHKUK3AqUpzc2XLnK
NTuoysS2AFbjGi+1hGurSDF3AiEAxlXXwFAyvxIiwQ3+y2mCX5YFmHpbxR9FfrBC
DH2q3Vo=
-----END CERTIFICATE-----`

/** Starts the server until the test is over; returns its address. */
export const selfSignedServer = async (answer: http.RequestListener): Promise<string> => {
  const server = https.createServer({ key, cert }, answer)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo // a TCP server has one
  return `https://127.0.0.1:${port}`
}
