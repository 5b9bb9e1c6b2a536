/**
 * Meters a stream of an interaction as it passes. The only edit puts the model's name back. Counts what is delivered without storing it.
 */
import type { AnswerEdits, Frame, FrameVerdict, Meter } from '#canonical/codec'
import { later, type ReportedUsage } from '#canonical/delivered'
import type { TextListener } from '#canonical/token-estimator'
import { GatewayError } from '#shared/errors'
import { isObject, type JsonObject } from '#shared/json'
import { parseObject } from '#wire/json-scan'
import { closedEvent, editEvent } from '#wire/sse-edit'
import { readInnerError } from '../../error.ts'
import { nothingDelivered, settleUsage } from '../../usage.ts'
import { measureDelta, measureStep, usageIn } from './usage.ts'
import { createdIn, isCut, nameChange } from './whole.ts'

const withheld: FrameVerdict = { out: undefined, meaningful: false }
const notOne = () => new GatewayError('upstream_error', 'The upstream sent a stream that is not an interaction.')

/** A meter for one stream. `listener` gets every delivered text. */
export function interactionMeter(edits: AnswerEdits, listener?: TextListener): Meter {
  const delivered = nothingDelivered(listener)
  const changes = nameChange(edits.model)
  let reported: ReportedUsage | undefined
  let ended: 'complete' | 'length' | undefined
  let isOver = false
  let tier: string | undefined

  function push(frame: Frame): FrameVerdict {
    if (isOver) return withheld
    const { data } = frame
    if (data === undefined || data === '') return { out: closedEvent(frame, frame.raw), meaningful: false }
    if (data.length < 16 && data.trim() === '[DONE]') {
      isOver = true
      return ended ? { out: closedEvent(frame, frame.raw), meaningful: true, last: true } : withheld
    }
    const event = parseObject(data)
    if (!event) return frame.unfinished && ended ? withheld : fail(notOne())
    return heard(frame, event)
  }

  function heard(frame: Frame, event: JsonObject): FrameVerdict {
    const type = typeof event.event_type === 'string' ? event.event_type : (frame.event ?? '')
    if (type === 'error' || (isObject(event.error) && !isObject(event.interaction))) return fail(readInnerError(event.error))
    const { interaction, step, delta, metadata } = event
    if (type === 'step.start' && isObject(step)) measureStep(step, delivered)
    if (type === 'step.delta' && isObject(delta)) measureDelta(delta, delivered)
    if (isObject(metadata)) reported = later(reported, usageIn(metadata.total_usage, delivered))
    if (isObject(interaction)) reported = later(reported, usageIn(interaction.usage, delivered))
    if (isObject(interaction) && typeof interaction.service_tier === 'string') tier = interaction.service_tier
    if (type === 'interaction.completed') ended = isObject(interaction) && isCut(interaction) ? 'length' : 'complete'
    const raw = isObject(interaction) && edits.model !== undefined ? editEvent(frame.raw, changes, 'interaction') : frame.raw
    return {
      out: closedEvent(frame, raw),
      meaningful: type === 'step.delta' || type === 'step.stop' || ended !== undefined,
      ...(isObject(interaction) && edits.keepsAnswer && createdIn(interaction)),
    }
  }

  function fail(error: GatewayError): FrameVerdict {
    isOver = true
    return { out: undefined, meaningful: true, error }
  }

  return {
    push,
    usage: (inputBytes, scale) => settleUsage(reported, delivered, { inputBytes, scale, isOver: ended !== undefined }),
    end: () => ended ?? 'cut',
    tier: () => tier,
    tail: () => undefined,
  }
}
