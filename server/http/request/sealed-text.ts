/** Self-contained short-lived keys: sealed, not stored. Every instance with the master key can read them. */
import type { Sealer } from '#runtime/secrets'
import { parseAsWritten } from '#shared/exact-numbers'

/** Uses only characters that need no escaping in a URL or header. `as`: its kind. */
export function sealText(sealer: Sealer, as: string, value: object): string {
  const [, keyId = '', body = ''] = sealer.seal(JSON.stringify(value), as).split('.')
  return `${keyId}.${body.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')}`
}

/** Its content, with numbers of a client as they were written (`parseAsWritten`); undefined for anything else, and if it was changed. */
export function openText<Value>(sealer: Sealer, text: string, as: string): Value | undefined {
  const [, keyId, body] = /^([0-9a-f]{8})\.([\w-]+)$/.exec(text) ?? []
  if (keyId === undefined || body === undefined) return undefined
  try {
    return parseAsWritten(sealer.open(`v1.${keyId}.${body.replaceAll('-', '+').replaceAll('_', '/')}`, as)) as Value
  } catch {
    return undefined
  }
}
