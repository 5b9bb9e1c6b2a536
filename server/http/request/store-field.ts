/** Whether the body of a request has `store: false`, which asks the upstream, and here also Parley, to store nothing of it. */
import { isNamed, scanFields } from '#wire/json-scan'

/** Whether this JSON object has that field. */
export function forbidsStoring(text: string): boolean {
  if (!text.includes('store') && !text.includes('\\u')) return false
  const found = scanFields(text)
  return found?.fields.some((field) => isNamed(text, field, 'store') && text.slice(field.valueStart, field.valueEnd) === 'false') ?? false
}

/**
 * Whether the bytes of a large body may have it. They are not parsed on the thread that carries requests: if any of their objects has it,
 * it counts.
 */
export function mayForbidStoring(pieces: readonly Uint8Array[]): boolean {
  const bytes = Buffer.concat(pieces)
  const isFalse = /^"store"\s*:\s*false/
  for (let at = bytes.indexOf('"store"'); at >= 0; at = bytes.indexOf('"store"', at + 7)) {
    if (isFalse.test(bytes.toString('latin1', at, at + 64))) return true
  }
  return false
}
