/**
 * Watches a Messages stream as it passes. The one edit of the closed list is the model's name, which stands in the first
 * event. Counts what is delivered and keeps none of it.
 */
import type { AnswerEdits, Frame, FrameVerdict, Meter } from '#canonical/codec'
import { nothingDelivered, settled } from '#canonical/delivered'
import type { TokenEstimator } from '#canonical/token-estimator'
import type { GatewayError } from '#shared/errors'
import { isObject } from '#shared/json'
import { alikeEvents } from '#wire/alike-events'
import { parseObject, scanFields } from '#wire/json-scan'
import { type FieldChanges, fieldEdits, splice } from '#wire/splice'
import { closedEvent, editEvent } from '#wire/sse-edit'
import { readInnerError } from '../error.ts'
import { broken, type Json, readEvent, type WireEvent, writeEvent } from '../frame.ts'
import { isLength } from './finish.ts'
import { carries, createdIn, measure } from './response-meter.ts'
import { type ReportedUsage, readUsage } from './usage.ts'

const withheld: FrameVerdict = { out: undefined, meaningful: false }
const terminator = new TextEncoder().encode(writeEvent('message_stop', {}))

/** A meter for one stream. `hear` gets every text that is delivered. */
export function messagesMeter({ model, keepsAnswer = false }: AnswerEdits, hear?: TokenEstimator['observe']): Meter {
  const delivered = nothingDelivered(hear)
  const changes = model === undefined ? undefined : nameIn('message', model)
  let reading: ReportedUsage | undefined
  let hasBegun = false
  let isFinished = false
  let hitLimit = false
  let isDone = false
  let hasFailed = false
  /** Most deltas are like the one before. */
  const usual = alikeEvents()

  function push(frame: Frame): FrameVerdict {
    if (isDone || hasFailed) return withheld
    const alike = usual.takes(frame)
    if (alike) return { out: alike, meaningful: true }
    const event = readEvent(frame)
    // Another dialect's terminator, on which clients of this dialect fail.
    if (event === 'nothing') return frame.data === '[DONE]' ? withheld : { out: closedEvent(frame, frame.raw), meaningful: false }
    // A terminator that was cut in half is as good as none.
    if (event === 'garbage') return frame.unfinished && isFinished ? withheld : fail(broken())
    if (event.type === 'error') return fail(readInnerError(event.data.error ?? event.data))
    if (event.type === 'message_stop') return stop(frame)
    learn(frame, event)
    const out = closedEvent(frame, isNamed(event) && changes ? editEvent(frame.raw, changes) : frame.raw)
    return { out, meaningful: note(event), ...createdBy(event, keepsAnswer) }
  }

  function learn(frame: Frame, { type, data }: WireEvent): void {
    for (const [field, kind] of type === 'content_block_delta' ? textFields : []) {
      const text = onlyIn(data, field)
      if (text === undefined) continue
      const take = (said: string, bytes: number) => {
        delivered[kind] += bytes
        hear?.(said, bytes)
      }
      usual.learn(frame, text, (json) => onlyIn(parseObject(json) ?? {}, field), take)
    }
  }

  /** Counts one event; true when it means something. */
  function note({ type, data }: WireEvent): boolean {
    switch (type) {
      case 'message_start':
        hasBegun = true
        if (isObject(data.message)) tell(data.message.usage)
        return false
      case 'content_block_start':
        measure(data.content_block, delivered)
        return carries(data.content_block)
      case 'content_block_delta':
        measure(data.delta, delivered)
        return carries(data.delta)
      case 'message_delta':
        tell(data.usage)
        return finish(isObject(data.delta) ? data.delta : {})
      case 'content_block_stop':
      case 'ping':
        return false
      default:
        return carries(data)
    }
  }

  function tell(usage: unknown): void {
    reading = readUsage(usage, delivered, reading)
  }

  function finish({ stop_reason: reason }: Json): boolean {
    if (typeof reason !== 'string' || reason === '') return false
    isFinished = true
    hitLimit ||= isLength(reason)
    return true
  }

  function stop(frame: Frame): FrameVerdict {
    if (!hasBegun) return fail(broken())
    isDone = true
    return { out: closedEvent(frame, frame.raw), meaningful: true, last: true }
  }

  function fail(error: GatewayError): FrameVerdict {
    hasFailed = true
    return { out: undefined, meaningful: true, error }
  }

  const isComplete = () => !hasFailed && (isDone || (hasBegun && isFinished))

  return {
    push,
    pass: (text, from, most) => (isDone || hasFailed ? undefined : usual.pass(text, from, most)),
    usage: (inputBytes, scale) => settled(reading, delivered, { inputBytes, scale, isOver: isComplete() }),
    end: () => (isComplete() ? (hitLimit ? 'length' : 'complete') : 'cut'),
    tail: () => (isComplete() && !isDone ? terminator : undefined),
  }
}

/** Where a delta has its text, and what that counts as. */
const textFields = [
  ['text', 'text'],
  ['thinking', 'reasoning'],
] as const

/** The text of a delta that has nothing else. */
function onlyIn({ delta }: Json, field: string): string | undefined {
  if (!isObject(delta)) return undefined
  for (const key in delta) if (key !== field && key !== 'type') return undefined
  const text = delta[field]
  return typeof text === 'string' ? text : undefined
}

/** Most events are deltas, which bring nothing. */
function createdBy({ type, data }: WireEvent, keepsAnswer: boolean): Pick<FrameVerdict, 'created'> {
  if (type === 'content_block_delta') return {}
  if (type === 'message_start') {
    return isObject(data.message) ? createdIn(data.message.container, [], keepsAnswer ? data.message.id : undefined) : {}
  }
  if (type === 'message_delta') return createdIn(isObject(data.delta) ? data.delta.container : undefined, [])
  const { content_block: block } = data
  const isResult = type === 'content_block_start' && isObject(block) && String(block.type).endsWith('_tool_result')
  return isResult ? createdIn(undefined, [block]) : {}
}

const isNamed = ({ type, data }: WireEvent) => type === 'message_start' && isObject(data.message) && typeof data.message.model === 'string'

/** The change that puts `model` into the object that stands in the field `key`. */
function nameIn(key: string, model: string): FieldChanges {
  const name = new Map([['model', () => JSON.stringify(model)]])
  const rename = (json: string | undefined) => {
    const spans = json === undefined ? undefined : scanFields(json)
    return json !== undefined && spans ? splice(json, fieldEdits(json, spans, name)) : json
  }
  return new Map([[key, rename]])
}
