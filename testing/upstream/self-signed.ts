/** A self-signed certificate, generated when needed so that no key is in the repository. */
import { generateKeyPairSync, sign } from 'node:crypto'

const der = (tag: number, ...parts: Uint8Array[]): Buffer => {
  const content = Buffer.concat(parts)
  const { length } = content
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}
const sequence = (...parts: Uint8Array[]) => der(0x30, ...parts)
const objectId = (hex: string) => der(0x06, Buffer.from(hex, 'hex'))

/** Key and certificate (PEM) for a host name, self-signed, valid until 2049 or in other years. */
export function selfSigned(host: string, { from = 2025, until = 2049 } = {}): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const algorithm = sequence(objectId('2a8648ce3d040302')) // ecdsa-with-SHA256
  const name = sequence(der(0x31, sequence(objectId('550403'), der(0x0c, Buffer.from(host))))) // commonName
  const time = (text: string) => der(0x17, Buffer.from(text))
  // Some runtimes read host names only from this extension, and extensions only in version 3.
  const alternativeName = sequence(objectId('551d11'), der(0x04, sequence(der(0x82, Buffer.from(host)))))
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    algorithm,
    name,
    sequence(time(`${String(from).slice(2)}0101000000Z`), time(`${String(until).slice(2)}1231235959Z`)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(alternativeName)),
  )
  const signature = der(0x03, Buffer.from([0]), sign('sha256', body, privateKey))
  const text = sequence(body, algorithm, signature)
    .toString('base64')
    .replace(/.{64}(?=.)/g, '$&\n')
  return {
    key: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
    cert: `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----\n`,
  }
}
