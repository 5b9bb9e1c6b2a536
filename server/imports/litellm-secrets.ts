/**
 * Values encrypted by LiteLLM in its database (`proxy/common_utils/encrypt_decrypt_utils.py`): AES-256-GCM after a version prefix,
 * or, without one, a secret box of NaCl. The key is derived from its salt key, or its master key where there is none.
 */
import { createDecipheriv, createHash, hkdfSync } from 'node:crypto'
import { xsalsa20poly1305 } from '@noble/ciphers/salsa.js'

const sha256 = (text: string) => createHash('sha256').update(text).digest()
const nonceBytes = { gcm: 12, box: 24 }
const tagBytes = 16

/** The plain text; undefined if it was not sealed with this salt key. */
export function openedValue(sealed: string, saltKey: string): string | undefined {
  try {
    if (sealed.startsWith('v3:gcm:'))
      return openedGcm(sealed.slice(7), new Uint8Array(hkdfSync('sha256', saltKey, '', 'litellm-at-rest-v3', 32)))
    if (sealed.startsWith('v2:gcm:')) return openedGcm(sealed.slice(7), sha256(saltKey))
    const bytes = Buffer.from(sealed, 'base64url')
    if (bytes.length < nonceBytes.box + tagBytes) return undefined
    const box = xsalsa20poly1305(sha256(saltKey), bytes.subarray(0, nonceBytes.box))
    return Buffer.from(box.decrypt(bytes.subarray(nonceBytes.box))).toString()
  } catch {
    return undefined
  }
}

function openedGcm(text: string, key: Uint8Array): string {
  const bytes = Buffer.from(text, 'base64url')
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes.gcm), { authTagLength: tagBytes })
  decipher.setAuthTag(bytes.subarray(-tagBytes))
  return Buffer.concat([decipher.update(bytes.subarray(nonceBytes.gcm, -tagBytes)), decipher.final()]).toString()
}
