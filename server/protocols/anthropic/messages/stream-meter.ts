/**
 * Meters a Messages stream as it passes. The only edit is the model's name, which is in the first event. Counts what is delivered without
 * storing it.
 */
import type { AnswerEdits, Frame, FrameVerdict, Meter } from '#canonical/codec'
import { type Delivered, nothingDelivered, settled } from '#canonical/delivered'
import type { Scale, TextListener } from '#canonical/token-estimator'
import type { Usage } from '#canonical/usage'
import type { GatewayError } from '#shared/errors'
import { isObject } from '#shared/json'
import { parseObject, scanFields } from '#wire/json-scan'
import { type SimilarEvents, type StringTaker, similarEvents } from '#wire/similar-events'
import { type FieldChanges, fieldEdits, splice } from '#wire/splice'
import { closedEvent, editEvent } from '#wire/sse-edit'
import { readInnerError } from '../error.ts'
import { broken, type Json, readEvent, type WireEvent, writeEvent } from '../frame.ts'
import { isLength } from './finish.ts'
import { carries, createdIn, measure } from './response-meter.ts'
import { type CumulativeUsage, readUsage } from './usage.ts'

const withheld: FrameVerdict = { out: undefined, meaningful: false }
const terminator = new TextEncoder().encode(writeEvent('message_stop', {}))

/** A meter for one stream. `listener` gets every delivered text. */
export const messagesMeter = (edits: AnswerEdits, listener?: TextListener): Meter => new MessagesMeter(edits, listener)

class MessagesMeter implements Meter, StringTaker {
  readonly #changes: FieldChanges | undefined
  readonly #keepsAnswer: boolean
  readonly #listener: TextListener | undefined
  readonly #delivered: Delivered
  /** Most deltas are like the one before. */
  readonly #usual = similarEvents()
  /** What their text counts as. */
  #usualKind: 'text' | 'reasoning' = 'text'
  #reading: CumulativeUsage | undefined
  #hasBegun = false
  #isFinished = false
  #hitLimit = false
  #isDone = false
  #hasFailed = false

  constructor({ model, keepsAnswer = false }: AnswerEdits, listener: TextListener | undefined) {
    this.#changes = model === undefined ? undefined : nameIn('message', model)
    this.#keepsAnswer = keepsAnswer
    this.#listener = listener
    this.#delivered = nothingDelivered(listener)
  }

  push(frame: Frame): FrameVerdict {
    if (this.#isDone || this.#hasFailed) return withheld
    const similar = this.#usual.takes(frame)
    if (similar) return { out: similar, meaningful: true }
    const event = readEvent(frame)
    // Another dialect's terminator, on which clients of this dialect fail.
    if (event === 'nothing') return frame.data === '[DONE]' ? withheld : { out: closedEvent(frame, frame.raw), meaningful: false }
    // A terminator that was cut in half is as good as none.
    if (event === 'garbage') return frame.unfinished && this.#isFinished ? withheld : this.#fail(broken())
    if (event.type === 'error') return this.#fail(readInnerError(event.data.error ?? event.data))
    if (event.type === 'message_stop') return this.#stop(frame)
    this.#learn(frame, event)
    const out = closedEvent(frame, isNamed(event) && this.#changes ? editEvent(frame.raw, this.#changes) : frame.raw)
    return { out, meaningful: this.#note(event), ...createdBy(event, this.#keepsAnswer) }
  }

  pass(text: string, from: number, most: number): ReturnType<SimilarEvents['pass']> {
    return this.#isDone || this.#hasFailed ? undefined : this.#usual.pass(text, from, most)
  }

  /** Counts the text of an event that was not parsed. */
  take(text: string, bytes: number): void {
    this.#delivered[this.#usualKind] += bytes
    this.#listener?.addText(text, bytes)
  }

  usage(inputBytes: number, scale?: Scale): Usage {
    return settled(this.#reading, this.#delivered, { inputBytes, scale, isOver: this.#isComplete() })
  }

  end(): ReturnType<Meter['end']> {
    return this.#isComplete() ? (this.#hitLimit ? 'length' : 'complete') : 'cut'
  }

  tail(): Uint8Array | undefined {
    return this.#isComplete() && !this.#isDone ? terminator : undefined
  }

  #learn(frame: Frame, { type, data }: WireEvent): void {
    for (const [field, kind] of type === 'content_block_delta' ? textFields : []) {
      const text = onlyIn(data, field)
      if (text === undefined) continue
      this.#usualKind = kind
      this.#usual.learn(frame, text, (json) => onlyIn(parseObject(json) ?? {}, field), this)
    }
  }

  /** Counts one event; true when it means something. */
  #note({ type, data }: WireEvent): boolean {
    switch (type) {
      case 'message_start':
        this.#hasBegun = true
        if (isObject(data.message)) this.#tell(data.message.usage)
        return false
      case 'content_block_start':
        measure(data.content_block, this.#delivered)
        return carries(data.content_block)
      case 'content_block_delta':
        measure(data.delta, this.#delivered)
        return carries(data.delta)
      case 'message_delta':
        this.#tell(data.usage)
        return this.#finish(isObject(data.delta) ? data.delta : {})
      case 'content_block_stop':
      case 'ping':
        return false
      default:
        return carries(data)
    }
  }

  #tell(usage: unknown): void {
    this.#reading = readUsage(usage, this.#delivered, this.#reading)
  }

  #finish({ stop_reason: reason }: Json): boolean {
    if (typeof reason !== 'string' || reason === '') return false
    this.#isFinished = true
    this.#hitLimit ||= isLength(reason)
    return true
  }

  #stop(frame: Frame): FrameVerdict {
    if (!this.#hasBegun) return this.#fail(broken())
    this.#isDone = true
    return { out: closedEvent(frame, frame.raw), meaningful: true, last: true }
  }

  #fail(error: GatewayError): FrameVerdict {
    this.#hasFailed = true
    return { out: undefined, meaningful: true, error }
  }

  #isComplete(): boolean {
    return !this.#hasFailed && (this.#isDone || (this.#hasBegun && this.#isFinished))
  }
}

/** The text field of each delta, and its kind. */
const textFields = [
  ['text', 'text'],
  ['thinking', 'reasoning'],
] as const

/** The text of a delta without other fields. */
function onlyIn({ delta }: Json, field: string): string | undefined {
  if (!isObject(delta)) return undefined
  for (const key in delta) if (key !== field && key !== 'type') return undefined
  const text = delta[field]
  return typeof text === 'string' ? text : undefined
}

/** Most events are deltas, which create nothing. */
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

/** The change that sets `model` in the object at the field `key`. */
function nameIn(key: string, model: string): FieldChanges {
  const name = new Map([['model', () => JSON.stringify(model)]])
  const rename = (json: string | undefined) => {
    const spans = json === undefined ? undefined : scanFields(json)
    return json !== undefined && spans ? splice(json, fieldEdits(json, spans, name)) : json
  }
  return new Map([[key, rename]])
}
