/** Bytes compressed (zstd) and sealed (AES-256-GCM) with a key of their own, which must be stored elsewhere. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'

const ivBytes = 12
const tagBytes = 16
/** The fastest level that takes text to a fifth; higher ones cost three times as much for a tenth of it. */
const compression = { params: { [constants.ZSTD_c_compressionLevel]: 3 } }

/** Sealed bytes, and the only key that opens them: 64 hexadecimal digits. */
export interface SealedBytes {
  sealed: Uint8Array
  key: string
}

/** Compresses and seals. `name`: the identity of the bytes; they do not open under another one. */
export function sealBytes(bytes: Uint8Array, name: string): SealedBytes {
  const key = randomBytes(32)
  const iv = randomBytes(ivBytes)
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(name, 'utf8'))
  const sealed = Buffer.concat([iv, cipher.update(zstdCompressSync(bytes, compression)), cipher.final(), cipher.getAuthTag()])
  return { sealed, key: key.toString('hex') }
}

/** The original bytes; undefined for another key or name, or if the sealed bytes are truncated or modified. */
export function openSealedBytes(sealed: Uint8Array, key: string, name: string): Uint8Array<ArrayBuffer> | undefined {
  if (sealed.length < ivBytes + tagBytes) return undefined
  try {
    const opener = createDecipheriv('aes-256-gcm', Buffer.from(key, 'hex'), sealed.subarray(0, ivBytes), { authTagLength: tagBytes })
    opener.setAAD(Buffer.from(name, 'utf8')).setAuthTag(sealed.subarray(-tagBytes))
    const packed = Buffer.concat([opener.update(sealed.subarray(ivBytes, -tagBytes)), opener.final()])
    return new Uint8Array(zstdDecompressSync(packed))
  } catch {
    return undefined
  }
}
