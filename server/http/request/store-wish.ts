/** Whether the body of a request says `store: false`: that its upstream, and here also Parley, shall keep nothing of it. */
import { isNamed, scanFields } from '#wire/json-scan'

/** Whether a field of this JSON object says so. */
export function forbidsStoring(text: string): boolean {
  if (!text.includes('store') && !text.includes('\\u')) return false
  const found = scanFields(text)
  return found?.fields.some((field) => isNamed(text, field, 'store') && text.slice(field.valueStart, field.valueEnd) === 'false') ?? false
}

/**
 * Whether the bytes of a large body may say so. They are not read on the thread that carries requests: where one of their objects says it,
 * whichever that is, the wish counts.
 */
export function mayForbidStoring(pieces: readonly Uint8Array[]): boolean {
  const bytes = Buffer.concat(pieces)
  const isFalse = /^"store"\s*:\s*false/
  for (let at = bytes.indexOf('"store"'); at >= 0; at = bytes.indexOf('"store"', at + 7)) {
    if (isFalse.test(bytes.toString('latin1', at, at + 64))) return true
  }
  return false
}
