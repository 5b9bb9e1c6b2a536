/**
 * Meters a stream of pictures as it passes: unfinished ones and finished ones. There is no terminator; the answer is complete when the
 * upstream ends it after a finished picture. A whole answer, from an upstream that does not stream, becomes the finished pictures of a
 * stream. Stores no picture.
 */
import type { AnswerEdits, Frame, FrameVerdict, Meter } from '#canonical/codec'
import { addTokens, type ImageHead, type ReportedImageUsage, settleImages } from '#canonical/operation/image'
import type { Usage } from '#canonical/usage'
import { GatewayError } from '#shared/errors'
import { parseObject } from '#wire/json-scan'
import { closedEvent, editEvent } from '#wire/sse-edit'
import { readInnerError, writeStreamError } from '../error.ts'
import type { Body } from '../fields.ts'
import { modelChange, parseImages, usageOf } from './response-meter.ts'
import { completedEvents } from './response-write.ts'
import { readImageUsage } from './usage.ts'

/** True for the content type of an answer that does not stream. */
export const isWhole = (type: string) => /json/i.test(type)

/** The meter for an answer of content type `type`. */
export const imagesMeter = (edits: AnswerEdits, asked: ImageHead, type: string): Meter =>
  isWhole(type) ? wholeMeter(asked) : eventsMeter(edits, asked)

function wholeMeter(asked: ImageHead): Meter {
  let usage: Usage | undefined
  return {
    push({ raw }) {
      const { answer, images } = parseImages(new TextDecoder().decode(raw))
      usage = usageOf(answer, images, asked)
      return { out: completedEvents(answer, images, asked.edits), meaningful: true, last: true }
    },
    usage: () => usage ?? settleImages(asked, { images: 0, reported: undefined, unreported: 0, partials: 0 }),
    end: () => (usage ? 'complete' : 'cut'),
    tail: () => undefined,
  }
}

function eventsMeter(edits: AnswerEdits, asked: ImageHead): Meter {
  const changes = modelChange(edits)
  let finished = 0
  let unreported = 0
  let reported: ReportedImageUsage | undefined
  /** Of the picture that is not finished yet. */
  let partials = 0
  let hasFailed = false

  function note(event: Body): boolean {
    const type = typeof event.type === 'string' ? event.type : ''
    if (type.endsWith('.partial_image')) partials += 1
    else if (!type.endsWith('.completed')) return false
    else {
      const usage = readImageUsage(event.usage, event.svg_usage)
      if (usage) reported = reported ? addTokens(reported, usage) : usage
      else unreported += 1
      finished += 1
      partials = 0
    }
    return true
  }

  function fail(error: GatewayError): FrameVerdict {
    hasFailed = true
    return { out: undefined, meaningful: true, error }
  }

  function push(frame: Frame): FrameVerdict {
    const { data } = frame
    if (data === undefined || data === '') return { out: closedEvent(frame, frame.raw), meaningful: false }
    if (data.length < 16 && data.trim() === '[DONE]') {
      if (finished === 0) return fail(broken())
      return { out: closedEvent(frame, frame.raw), meaningful: true, last: true }
    }
    const event = parseObject(data)
    if (!event) return fail(broken())
    if (event.type === 'error' || event.error) return fail(readInnerError(event.error || event))
    const isPicture = note(event)
    const raw = changes.size > 0 && typeof event.model === 'string' ? editEvent(frame.raw, changes) : frame.raw
    return { out: closedEvent(frame, raw), meaningful: isPicture }
  }

  /** A client that disconnects while a picture is shown has received it; one whose stream broke is charged for what it received. */
  function usage(): Usage {
    const shown = partials > 0 && !hasFailed ? 1 : 0
    return settleImages(asked, { images: finished + shown, reported, unreported: unreported + shown, partials })
  }

  return {
    push,
    usage,
    end: () => (finished > 0 && partials === 0 ? 'complete' : 'cut'),
    tail: () => undefined,
    failure(error) {
      hasFailed = true
      return writeStreamError(error)
    },
  }
}

const broken = () => new GatewayError('upstream_error', 'The upstream sent a stream that holds no picture.')
