/** Meters a transcript as it passes, event by event; a whole one becomes the requested events. */
import type { FrameVerdict, Meter } from '#canonical/codec'
import { GatewayError } from '#shared/errors'
import { isObject } from '#shared/json'
import { parseObject } from '#wire/json-scan'
import { closedEvent } from '#wire/sse-edit'
import { readInnerError } from '../error.ts'
import type { TranscribeHead } from './transcribe-head.ts'
import { eventsOf, readTranscript, reportedIn } from './transcript.ts'
import { settleSound } from './usage.ts'

/** True for the content type of an event stream. */
export const isEvents = (type: string) => /^text\/event-stream\b/i.test(type)

/** The meter for an answer of content type `type`. */
export const transcriptMeter = (asked: TranscribeHead, type: string): Meter => (isEvents(type) ? eventMeter(asked) : wholeMeter(asked))

function failed(error: GatewayError): FrameVerdict {
  return { out: undefined, meaningful: true, error }
}

const textBytes = (value: unknown) => (typeof value === 'string' ? Buffer.byteLength(value) : 0)

function eventMeter(asked: TranscribeHead): Meter {
  let delivered = 0
  let done: Record<string, unknown> | undefined

  return {
    push(frame) {
      const { data } = frame
      if (data === undefined || data === '') return { out: closedEvent(frame, frame.raw), meaningful: false }
      if (data.trim() === '[DONE]') return done ? { out: closedEvent(frame, frame.raw), meaningful: true, last: true } : failed(broken())
      const event = parseObject(data)
      if (!event) return failed(broken())
      if (isObject(event.error)) return failed(readInnerError(event.error))
      if (event.type === 'error' || frame.event === 'error') return failed(readInnerError(event))
      if (event.type === 'transcript.text.delta') delivered += textBytes(event.delta)
      if (event.type === 'transcript.text.segment') delivered += textBytes(event.text)
      if (event.type === 'transcript.text.done') {
        done = event
        delivered = Math.max(delivered, textBytes(event.text))
      }
      return { out: closedEvent(frame, frame.raw), meaningful: true }
    },
    usage: () => settleSound(asked, reportedIn(done), delivered),
    end: () => (done ? 'complete' : 'cut'),
    tail: () => undefined,
  }
}

/** One frame: the whole answer. */
function wholeMeter(asked: TranscribeHead): Meter {
  let usage = asked.estimate(0)
  let isDone = false
  return {
    push({ raw }) {
      try {
        const transcript = readTranscript(new TextDecoder().decode(raw), asked)
        usage = settleSound(asked, reportedIn(transcript.json), Buffer.byteLength(transcript.text))
        isDone = true
        return { out: eventsOf(transcript), meaningful: true, last: true }
      } catch (thrown) {
        if (thrown instanceof GatewayError) return failed(thrown)
        throw thrown
      }
    },
    usage: () => usage,
    end: () => (isDone ? 'complete' : 'cut'),
    tail: () => undefined,
  }
}

const broken = () => new GatewayError('upstream_error', 'The upstream sent a stream that is not a transcript.')
