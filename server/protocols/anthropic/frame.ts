/** Events of a Messages stream as frames, both ways. */
import type { Frame } from '#canonical/codec'
import { GatewayError } from '#shared/errors'
import { exactCall, keepDigits, keepFloats } from '#shared/exact-numbers'
import { parseObject } from '#wire/json-scan'

/** A JSON object of this dialect. */
export type Json = Record<string, unknown>

/** One event with its data parsed; `type` is undefined when neither the data nor the frame names it. */
export interface WireEvent {
  type: string | undefined
  data: Json
}

/** The event that a frame holds, `nothing` for comments and foreign terminators, `garbage` for anything but a JSON object. */
export function readEvent({ data, event }: Frame): WireEvent | 'nothing' | 'garbage' {
  if (data === undefined || data === '' || data === '[DONE]') return 'nothing'
  const parsed = parseObject(data)
  if (!parsed) return 'garbage'
  // Only the beginning of a block has values that are passed on.
  if (parsed.type === 'content_block_start') {
    keepDigits(data, parsed)
    keepFloats(data, parsed)
  }
  return { type: typeof parsed.type === 'string' ? parsed.type : event, data: parsed }
}

/** `value` as JSON, or undefined when it nests deeper than any real answer: writing it could exhaust the stack. */
export const jsonText = (value: unknown): string | undefined => (isShallow(value, 64) ? JSON.stringify(exactCall(value)) : undefined)

function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  return levels > 0 && Object.values(value).every((inner) => isShallow(inner, levels - 1))
}

/** The text of one event; clients of this dialect ignore every event that has no `event:` line. */
export function writeEvent(type: string, fields: Json): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`
}

/** The error for a stream that is not one of this dialect. */
export function broken(): GatewayError {
  return new GatewayError('upstream_error', 'The upstream sent a stream that is not a Messages answer.')
}
