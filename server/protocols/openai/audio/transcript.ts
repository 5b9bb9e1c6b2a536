/** A whole transcript: checked, counted, and split into the events of a stream for a client that requested one. */
import { GatewayError } from '#shared/errors'
import { isObject } from '#shared/json'
import { parseObject } from '#wire/json-scan'
import { readInnerError } from '../error.ts'
import { isPlainText } from './formats.ts'
import type { TranscribeHead } from './transcribe-head.ts'
import { secondsIn, tokensIn } from './usage.ts'

export interface Transcript {
  text: string
  /** Its JSON object; undefined for plain text. */
  json?: Record<string, unknown>
}

const noTranscript = () => new GatewayError('upstream_error', 'The upstream did not answer with a transcript.')

/** Throws GatewayError `upstream_error`, or the error inside a successful response. */
export function readTranscript(body: string, { format }: Pick<TranscribeHead, 'format'>): Transcript {
  const json = /^\s*\{/.test(body) ? parseObject(body) : undefined
  if (json && isObject(json.error)) throw readInnerError(json.error)
  if (json && typeof json.text === 'string') return { text: json.text, json }
  if (!isPlainText(format) || /^\s*<(!doctype|html)/i.test(body)) throw noTranscript()
  return { text: body }
}

/** The usage in an object of the upstream: a whole answer, or the last event of a stream. */
export const reportedIn = (json: Record<string, unknown> | undefined) => ({
  tokens: tokensIn(json?.usage, true),
  seconds: secondsIn(json?.usage, json?.duration),
  raw: isObject(json?.usage) ? json.usage : json?.duration === undefined ? undefined : { duration: json.duration },
})

/** The events of a whole transcript: its segments if it has speakers, else its text at once. */
export function eventsOf({ text, json }: Transcript): Uint8Array {
  const segments = Array.isArray(json?.segments) ? json.segments.filter((one) => isObject(one) && typeof one.speaker === 'string') : []
  const parts =
    segments.length > 0
      ? segments.map((segment) => ({ ...segment, type: 'transcript.text.segment' }))
      : [{ type: 'transcript.text.delta', delta: text }]
  const done = { type: 'transcript.text.done', text, ...(isObject(json?.usage) && { usage: json.usage }) }
  return new TextEncoder().encode([...parts, done].map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''))
}
