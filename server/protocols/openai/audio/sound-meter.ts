/** Meters speech as it passes: pieces of audio, or events that contain them. Audio is never stored. */
import type { FrameVerdict, Meter } from '#canonical/codec'
import { GatewayError } from '#shared/errors'
import { isObject } from '#shared/json'
import { parseObject } from '#wire/json-scan'
import { closedEvent } from '#wire/sse-edit'
import { readInnerError, writeStreamError } from '../error.ts'
import { sounds } from './formats.ts'
import type { SpeakHead } from './speak-head.ts'
import { isEvents } from './transcript-meter.ts'
import { type Measured, type ReportedTokens, settleSound, tokensIn } from './usage.ts'

/** Throws `upstream_error` for unrequested events: a client that plays audio cannot read them. */
export function soundMeter(asked: SpeakHead & Measured, type: string): Meter {
  if (!isEvents(type)) return pieceMeter(asked, type)
  if (!asked.events) throw broken()
  return eventMeter(asked)
}

const encoder = new TextEncoder()
const event = (value: object) => encoder.encode(`data: ${JSON.stringify(value)}\n\n`)

/** A whole audio answer as the events of a stream. */
export function soundEvents(sound: Uint8Array): Uint8Array {
  const audio = Buffer.from(sound).toString('base64')
  return Buffer.concat([event({ type: 'speech.audio.delta', audio }), event({ type: 'speech.audio.done' })])
}

/** Audio unchanged, or as events for a client that requested them. */
function pieceMeter(asked: SpeakHead & Measured, type: string): Meter {
  // Some upstreams return another format than requested, and say so.
  const made = Object.values(sounds).find((sound) => type.startsWith(sound.type)) ?? sounds[asked.format]
  const scale = sounds[asked.format].second / made.second
  let delivered = 0
  return {
    push({ raw }) {
      delivered += raw.length
      const out = asked.events ? event({ type: 'speech.audio.delta', audio: Buffer.from(raw).toString('base64') }) : raw
      return { out, meaningful: raw.length > 0 }
    },
    usage: () => settleSound(asked, { tokens: undefined, speaks: true }, delivered * scale),
    end: () => (delivered > 0 ? 'complete' : 'cut'),
    tail: () => (asked.events ? event({ type: 'speech.audio.done' }) : undefined),
    ...(asked.events && { failure: writeStreamError }),
  }
}

function eventMeter(asked: SpeakHead & Measured): Meter {
  let delivered = 0
  let isDone = false
  let reported: { tokens: ReportedTokens | undefined; raw?: unknown } = { tokens: undefined }

  function push(frame: Parameters<Meter['push']>[0]): FrameVerdict {
    const { data } = frame
    const pass = (meaningful: boolean) => ({ out: closedEvent(frame, frame.raw), meaningful })
    if (data === undefined || data === '') return pass(false)
    if (data.length < 16 && data.trim() === '[DONE]') return isDone ? { ...pass(true), last: true } : failed(broken())
    const read = parseObject(data)
    if (!read) return failed(broken())
    if (isObject(read.error)) return failed(readInnerError(read.error))
    if (read.type === 'error' || frame.event === 'error') return failed(readInnerError(read))
    if (read.type === 'speech.audio.delta' && typeof read.audio === 'string') delivered += Math.floor((read.audio.length * 3) / 4)
    if (read.type === 'speech.audio.done') {
      isDone = true
      reported = { tokens: tokensIn(read.usage, false), raw: read.usage }
    }
    return pass(true)
  }

  return {
    push,
    usage: () => settleSound(asked, { ...reported, speaks: true }, delivered),
    end: () => (isDone ? 'complete' : 'cut'),
    tail: () => undefined,
    failure: writeStreamError,
  }
}

const failed = (error: GatewayError): FrameVerdict => ({ out: undefined, meaningful: true, error })

const broken = () => new GatewayError('upstream_error', 'The upstream sent a stream that is not speech.')
