/**
 * The usage of a session, under the names of Google's API or of its cloud: @google/genai 3.1 reads one or the other, depending on its mode.
 */
import type { GoogleService } from '#canonical/operation/realtime'
import { isObject } from '#shared/json'
import { messageIn } from './message.ts'

const pairs = [
  ['responseTokenCount', 'candidatesTokenCount'],
  ['responseTokensDetails', 'candidatesTokensDetails'],
] as const

/** A message with its figures under the names of the service that is not `from`; undefined if it has none. */
export function withCounts(text: string, from: GoogleService): string | undefined {
  if (!text.includes('"usageMetadata"')) return undefined
  const message = messageIn(text)
  if (!message || !isObject(message.usageMetadata)) return undefined
  const names = new Map<string, string>(pairs.map(([api, cloud]) => (from === 'api' ? [api, cloud] : [cloud, api])))
  const counts = Object.entries(message.usageMetadata).map(([name, value]) => [names.get(name) ?? name, value])
  return JSON.stringify({ ...message, usageMetadata: Object.fromEntries(counts) })
}
