/**
 * Watches a stream of Chat or Completions as it passes. Edits are the two of the closed list: the model's name back, and usage withheld from
 * a client that did not ask. Counts what is delivered and keeps none of it.
 */
import type { AnswerEdits, Frame, FrameVerdict, Meter } from '#canonical/codec'
import { type Delivered, later, nothingDelivered, settled, type Told } from '#canonical/delivered'
import type { TokenEstimator } from '#canonical/token-estimator'
import { GatewayError } from '#shared/errors'
import { isObject } from '#shared/json'
import { alikeEvents } from '#wire/alike-events'
import { parseObject } from '#wire/json-scan'
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
  /** Adds what it delivers. */
  measure(choice: Chunk, delivered: Delivered): void
  /** Its text where it delivers nothing else; undefined where it may. Absent: nobody knows. */
  textOnly?(choice: Chunk): string | undefined
}

/** Watches one stream; `hear` gets every text that is delivered. */
export function chunkMeter(edits: AnswerEdits, { measure, textOnly }: ChoiceReader, hear?: TokenEstimator['observe']): Meter {
  const delivered = nothingDelivered(hear)
  const begun = new Set<number>()
  const finished = new Set<number>()
  const changes = changesOf(edits)
  let told: Told | undefined
  let tier: string | undefined
  let hitLimit = false
  let isDone = false
  let hasFailed = false
  /** The last chunk with nothing but text: most that follow are like it, and need not be parsed. */
  const usual = alikeEvents()

  function push(frame: Frame): FrameVerdict {
    if (isDone || hasFailed) return withheld
    const alike = usual.takes(frame)
    if (alike) return { out: alike, meaningful: true }
    const { data } = frame
    if (data === undefined || data === '') return { out: closedEvent(frame, frame.raw), meaningful: false }
    if (data.length < 16 && data.trim() === '[DONE]') return pushDone(frame)
    const chunk = parseObject(data)
    // A terminator that was cut in half ends an answer as well as none.
    if (!chunk) return frame.unfinished && allFinished() ? withheld : fail(broken())
    if (carries(chunk.error)) return fail(readInnerError(chunk.error))
    if (frame.event === 'error') return fail(readInnerError(chunk))
    return pushChunk(frame, chunk, data)
  }

  function deliver(text: string, bytes: number): void {
    delivered.text += bytes
    hear?.(text, bytes)
  }

  function pushDone(frame: Frame): FrameVerdict {
    if (begun.size === 0) return fail(broken())
    isDone = true
    return { out: closedEvent(frame, frame.raw), meaningful: true, last: true }
  }

  function pushChunk(frame: Frame, chunk: Chunk, data: string): FrameVerdict {
    const choices = Array.isArray(chunk.choices) ? chunk.choices : []
    for (const choice of choices) if (isObject(choice)) note(choice)
    if (typeof chunk.service_tier === 'string') tier = chunk.service_tier
    if (isObject(chunk.usage)) told = later(told, readUsage(chunk.usage, delivered))
    if (edits.hideUsage && choices.length === 0 && isObject(chunk.usage)) return withheld
    const created = data.includes('"audio"') ? choices.filter(isObject).flatMap(soundIn) : []
    const made = isTouched(chunk, edits) ? eventEdits(frame.raw, changes) : []
    const text = choices.length === 1 && !isObject(chunk.usage) ? textIn(choices[0]) : undefined
    if (text !== undefined) usual.learn(frame, text, textOf, deliver, made)
    return {
      out: closedEvent(frame, withEdits(frame.raw, made)),
      meaningful: carries(choices),
      ...(created.length > 0 && { created }),
    }
  }

  function textIn(choice: unknown): string | undefined {
    return isObject(choice) && !choice.finish_reason ? textOnly?.(choice) : undefined
  }

  function textOf(json: string): string | undefined {
    const chunk = parseObject(json)
    return chunk && Array.isArray(chunk.choices) ? textIn(chunk.choices[0]) : undefined
  }

  function note(choice: Chunk): void {
    const { index } = choice
    const place = typeof index === 'number' && Number.isInteger(index) && index > 0 && index < mostChoices ? index : 0
    begun.add(place)
    measure(choice, delivered)
    if (typeof choice.finish_reason !== 'string' || choice.finish_reason === '') return
    finished.add(place)
    if (choice.finish_reason === 'length') hitLimit = true
  }

  function fail(error: GatewayError): FrameVerdict {
    hasFailed = true
    return { out: undefined, meaningful: true, error }
  }

  const allFinished = () => begun.size > 0 && finished.size === begun.size
  const isComplete = () => !hasFailed && (isDone || allFinished())

  return {
    push,
    pass: (text, from, most) => (isDone || hasFailed ? undefined : usual.pass(text, from, most)),
    usage: (inputBytes, scale) => settled(told, delivered, { inputBytes, scale, isOver: isComplete() }),
    end: () => (isComplete() ? (hitLimit ? 'length' : 'complete') : 'cut'),
    tier: () => tier,
    tail: () => (isComplete() && !isDone ? terminator : undefined),
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
