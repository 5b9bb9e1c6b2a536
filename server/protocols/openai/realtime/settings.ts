/** Settings of sessions as their client wrote them. */
import { parseAsWritten } from '#shared/exact-numbers'
import type { JsonObject } from '#shared/json'
import { scanObject } from '#wire/json-scan'

/**
 * The fields of a body that is passed on, with its numbers as they were written (`parseAsWritten`); an empty body has none. Throws
 * GatewayError 400.
 */
export function scanAsWritten(text: string, names: Parameters<typeof scanObject>[1]): JsonObject {
  if (text.trim() === '') return {}
  scanObject(text, names)
  return parseAsWritten(text) as JsonObject
}
