/**
 * The usage of a session, under the names of Google's API or of its cloud: @google/genai 3.1 reads one or the other, depending on its mode.
 */
import type { GoogleService } from '#canonical/operation/realtime'
import { parseAsWritten } from '#shared/exact-numbers'
import { isObject } from '#shared/json'
import { spliceAt } from '#wire/splice-at'
import { messageIn } from './message.ts'

const pairs = [
  ['responseTokenCount', 'candidatesTokenCount'],
  ['responseTokensDetails', 'candidatesTokensDetails'],
] as const

/** A message with its figures under the names of the service that is not `from`, otherwise unchanged; undefined if it has none. */
export function withCounts(text: string, from: GoogleService): string | undefined {
  if (!text.includes('"usageMetadata"')) return undefined
  const message = messageIn(text)
  if (!message || !isObject(message.usageMetadata)) return undefined
  const names = new Map<string, string>(pairs.map(([api, cloud]) => (from === 'api' ? [api, cloud] : [cloud, api])))
  return spliceAt(text, [['usageMetadata']], (json) => {
    const counts = Object.entries(parseAsWritten(json) as object).map(([name, value]) => [names.get(name) ?? name, value])
    return JSON.stringify(Object.fromEntries(counts))
  })
}
