/** Validates PEM certificates and keys. */
import { createPrivateKey, X509Certificate } from 'node:crypto'
import type { TlsIdentity } from '#runtime/contract/route'

/** What is wrong with an identity; undefined if TLS can use it. Never contains parts of a key. Empty texts count as absent. */
export function certificateFault({ ca = '', cert = '', key = '' }: TlsIdentity): { field: keyof TlsIdentity; what: string } | undefined {
  if (ca !== '' && !areCertificates(ca)) return { field: 'ca', what: 'These are no certificates in PEM.' }
  if (cert === '' && key === '') return undefined
  if (!areCertificates(cert)) return { field: 'cert', what: 'This is no certificate in PEM.' }
  return belongs(key, cert)
    ? undefined
    : { field: 'key', what: 'This is no private key in PEM without a password, or not that of the certificate.' }
}

const inPem = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

function areCertificates(text: string): boolean {
  const found = text.match(inPem) ?? []
  try {
    return found.length > 0 && found.every((pem) => new X509Certificate(pem).subject !== undefined)
  } catch {
    return false
  }
}

function belongs(key: string, cert: string): boolean {
  try {
    return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))
  } catch {
    return false
  }
}
