/** Realtime events as far as Parley reads them, and the one that it writes itself. Names of the beta are understood too. */
import type { CodecContext } from '#canonical/codec'
import { realtimeNames } from '#protocols/codec/body-names'
import type { GatewayError } from '#shared/errors'
import { isObject } from '#shared/json'
import { scanObject } from '#wire/json-scan'
import { createJsonScale } from '#wire/json-weight'
import { readInnerError } from '../error.ts'
import { missing } from '../fields.ts'

export interface RealtimeEvent extends Record<string, unknown> {
  type: string
}

/** Undefined for anything but an event: it is still forwarded. */
export function readEvent(frame: string): RealtimeEvent | undefined {
  try {
    const event: unknown = JSON.parse(frame)
    return isObject(event) && typeof event.type === 'string' ? { ...event, type: event.type } : undefined
  } catch {
    return undefined
  }
}

/** Bytes of a frame whose values are not counted, and how many a larger one may have: thousands of tools have fewer. */
const smallFrame = 64 * 1024
const bounds = { depth: 64, weight: 16_384 }

/**
 * A client's frame. Throws GatewayError if it must not be forwarded: a frame that Parley cannot read, or that could be read differently,
 * might be an event for the upstream.
 */
export function readAsked(frame: string): RealtimeEvent {
  if (frame.length > smallFrame) createJsonScale(bounds).push(Buffer.from(frame))
  const { value } = scanObject(frame, realtimeNames)
  if (typeof value.type !== 'string') throw missing('type')
  return { ...value, type: value.type }
}

/** The error that an upstream sends instead of starting the session; undefined for other frames. */
export function openingError(frame: string): GatewayError | undefined {
  const event = readEvent(frame)
  return event?.type === 'error' ? readInnerError(event.error) : undefined
}

/** `cause` is the id that the client gave to the event at fault. */
export function writeErrorEvent({ message, type, publicCode, param }: GatewayError, codecContext: CodecContext, cause?: unknown): string {
  const eventId = typeof cause === 'string' ? cause : null
  return JSON.stringify({
    type: 'error',
    event_id: codecContext.id('event_'),
    error: { type, code: publicCode, message, param: param ?? null, event_id: eventId },
  })
}
