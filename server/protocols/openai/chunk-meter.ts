/**
 * Meters a stream of Chat or Completions as it passes. There are two edits: the model's name is restored, and usage is withheld from a
 * client that did not request it. Counts what is delivered without storing it.
 */
import type { AnswerEdits, Frame, FrameVerdict, Meter } from '#canonical/codec'
import { type Delivered, later, nothingDelivered, type ReportedUsage, settled } from '#canonical/delivered'
import type { Scale, TextListener } from '#canonical/token-estimator'
import type { Usage } from '#canonical/usage'
import { GatewayError } from '#shared/errors'
import { isObject } from '#shared/json'
import { parseObject } from '#wire/json-scan'
import { type SimilarEvents, type StringTaker, similarEvents } from '#wire/similar-events'
import type { FieldChange, FieldChanges } from '#wire/splice'
import { closedEvent, eventEdits, withEdits } from '#wire/sse-edit'
import { carries, soundIn } from './choice.ts'
import { readInnerError } from './error.ts'
import { readUsage } from './usage.ts'

type Chunk = Record<string, unknown>

const withheld: FrameVerdict = { out: undefined, meaningful: false }
const terminator = new TextEncoder().encode('data: [DONE]\n\n')
/** Choices beyond this are counted with the first, so that no upstream can fill the memory. */
const mostChoices = 128

/** How one choice object of a chunk is read. */
export interface ChoiceReader {
  /** Adds its delivered content. */
  measure(choice: Chunk, delivered: Delivered): void
  /** Its text if it delivers nothing else; undefined if it may. Absent: unknown. */
  textOnly?(choice: Chunk): string | undefined
}

/** Meters one stream; `listener` gets every delivered text. */
export const chunkMeter = (edits: AnswerEdits, reader: ChoiceReader, listener?: TextListener): Meter =>
  new ChunkMeter(edits, reader, listener)

class ChunkMeter implements Meter, StringTaker {
  readonly #edits: AnswerEdits
  readonly #reader: ChoiceReader
  readonly #listener: TextListener | undefined
  readonly #delivered: Delivered
  readonly #begun = new Set<number>()
  readonly #finished = new Set<number>()
  readonly #changes: FieldChanges
  /** The last chunk with nothing but text: most that follow are like it, and need not be parsed. */
  readonly #usual = similarEvents()
  #reported: ReportedUsage | undefined
  #tier: string | undefined
  #hitLimit = false
  #isDone = false
  #hasFailed = false

  constructor(edits: AnswerEdits, reader: ChoiceReader, listener: TextListener | undefined) {
    this.#edits = edits
    this.#reader = reader
    this.#listener = listener
    this.#delivered = nothingDelivered(listener)
    this.#changes = changesOf(edits)
  }

  push(frame: Frame): FrameVerdict {
    if (this.#isDone || this.#hasFailed) return withheld
    const similar = this.#usual.takes(frame)
    if (similar) return { out: similar, meaningful: true }
    const { data } = frame
    if (data === undefined || data === '') return { out: closedEvent(frame, frame.raw), meaningful: false }
    if (data.length < 16 && data.trim() === '[DONE]') return this.#pushDone(frame)
    const chunk = parseObject(data)
    // A terminator that was cut in half ends an answer as well as none.
    if (!chunk) return frame.unfinished && this.#allFinished() ? withheld : this.#fail(broken())
    if (carries(chunk.error)) return this.#fail(readInnerError(chunk.error))
    if (frame.event === 'error') return this.#fail(readInnerError(chunk))
    return this.#pushChunk(frame, chunk, data)
  }

  pass(text: string, from: number, most: number): ReturnType<SimilarEvents['pass']> {
    return this.#isDone || this.#hasFailed ? undefined : this.#usual.pass(text, from, most)
  }

  /** Counts the text of an event that was not parsed. */
  take(text: string, bytes: number): void {
    this.#delivered.text += bytes
    this.#listener?.addText(text, bytes)
  }

  usage(inputBytes: number, scale?: Scale): Usage {
    return settled(this.#reported, this.#delivered, { inputBytes, scale, isOver: this.#isComplete() })
  }

  end(): ReturnType<Meter['end']> {
    return this.#isComplete() ? (this.#hitLimit ? 'length' : 'complete') : 'cut'
  }

  tier(): string | undefined {
    return this.#tier
  }

  tail(): Uint8Array | undefined {
    return this.#isComplete() && !this.#isDone ? terminator : undefined
  }

  #pushDone(frame: Frame): FrameVerdict {
    if (this.#begun.size === 0) return this.#fail(broken())
    this.#isDone = true
    return { out: closedEvent(frame, frame.raw), meaningful: true, last: true }
  }

  #pushChunk(frame: Frame, chunk: Chunk, data: string): FrameVerdict {
    const choices = Array.isArray(chunk.choices) ? chunk.choices : []
    for (const choice of choices) if (isObject(choice)) this.#note(choice)
    if (typeof chunk.service_tier === 'string') this.#tier = chunk.service_tier
    if (isObject(chunk.usage)) this.#reported = later(this.#reported, readUsage(chunk.usage, this.#delivered))
    if (this.#edits.hideUsage && choices.length === 0 && isObject(chunk.usage)) return withheld
    const created = data.includes('"audio"') ? choices.filter(isObject).flatMap(soundIn) : []
    const made = isTouched(chunk, this.#edits) ? eventEdits(frame.raw, this.#changes) : []
    const text = choices.length === 1 && !isObject(chunk.usage) ? this.#textIn(choices[0]) : undefined
    if (text !== undefined) this.#usual.learn(frame, text, (json) => this.#textOf(json), this, made)
    return {
      out: closedEvent(frame, withEdits(frame.raw, made)),
      meaningful: carries(choices),
      ...(created.length > 0 && { created }),
    }
  }

  #textIn(choice: unknown): string | undefined {
    return isObject(choice) && !choice.finish_reason ? this.#reader.textOnly?.(choice) : undefined
  }

  #textOf(json: string): string | undefined {
    const chunk = parseObject(json)
    return chunk && Array.isArray(chunk.choices) ? this.#textIn(chunk.choices[0]) : undefined
  }

  #note(choice: Chunk): void {
    const { index } = choice
    const place = typeof index === 'number' && Number.isInteger(index) && index > 0 && index < mostChoices ? index : 0
    this.#begun.add(place)
    this.#reader.measure(choice, this.#delivered)
    if (typeof choice.finish_reason !== 'string' || choice.finish_reason === '') return
    this.#finished.add(place)
    if (choice.finish_reason === 'length') this.#hitLimit = true
  }

  #fail(error: GatewayError): FrameVerdict {
    this.#hasFailed = true
    return { out: undefined, meaningful: true, error }
  }

  #allFinished(): boolean {
    return this.#begun.size > 0 && this.#finished.size === this.#begun.size
  }

  #isComplete(): boolean {
    return !this.#hasFailed && (this.#isDone || this.#allFinished())
  }
}

function changesOf({ model, hideUsage }: AnswerEdits): FieldChanges {
  const changes = new Map<string, FieldChange>()
  const name = JSON.stringify(model)
  if (model !== undefined) changes.set('model', (json) => (json?.startsWith('"') ? name : json))
  if (hideUsage) changes.set('usage', () => undefined)
  return changes
}

function isTouched(chunk: Chunk, { model, hideUsage }: AnswerEdits): boolean {
  return (model !== undefined && chunk.model !== undefined) || (hideUsage === true && chunk.usage !== undefined)
}

function broken(): GatewayError {
  return new GatewayError('upstream_error', 'The upstream sent a stream that is not a chat answer.')
}
