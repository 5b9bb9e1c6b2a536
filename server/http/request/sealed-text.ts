/** Short-lived keys that say all about themselves: sealed, not stored. Every instance with the master key reads them. */
import type { Sealer } from '#runtime/secrets'

/** Of characters that need no escape in an address or a header. `as`: what it is. */
export function sealText(sealer: Sealer, as: string, value: object): string {
  const [, keyId = '', body = ''] = sealer.seal(JSON.stringify(value), as).split('.')
  return `${keyId}.${body.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')}`
}

/** What is in it; undefined for what is none, or was changed. */
export function openText<Value>(sealer: Sealer, text: string, as: string): Value | undefined {
  const [, keyId, body] = /^([0-9a-f]{8})\.([\w-]+)$/.exec(text) ?? []
  if (keyId === undefined || body === undefined) return undefined
  try {
    return JSON.parse(sealer.open(`v1.${keyId}.${body.replaceAll('-', '+').replaceAll('_', '/')}`, as)) as Value
  } catch {
    return undefined
  }
}
