/** A whole Messages answer as a conversation's. */
import type { Memo, Pen, ReadResponse } from '#canonical/codec'
import { nothingDelivered, settled } from '#canonical/delivered'
import { type JsonObject, readBody } from '#canonical/fields'
import { type LossList, lossList } from '#canonical/loss'
import type { MessagesResponse } from '#shared/protocols/anthropic/messages'
import { isObject } from '#wire/json-scan'
import { readFinish } from './finish.ts'
import { measure } from './measure.ts'
import { parseAnswer } from './response-meter.ts'
import { readAnswerBlock } from './response-read-blocks.ts'
import { readUsage } from './usage.ts'

/** Throws GatewayError `upstream_error`, or what an `error` that came with a success means. */
export function readResponse(body: string, memo: Memo, pen: Pen): ReadResponse {
  const answer = parseAnswer(body)
  const { fields, unread } = readBody<MessagesResponse>(answer)
  const parts = fields
    .objectsIf('content')
    .map((block) => readAnswerBlock(block, memo))
    .filter((part) => part !== undefined)
  const hasCalls = parts.some(({ kind }) => kind === 'call')
  const delivered = nothingDelivered()
  for (const block of answer.content) measure(block, delivered)
  const usage = fields.json('usage')
  const tier = readServedTier(usage)
  const finish = readFinish(fields.json('stop_reason'), fields.json('stop_sequence'), hasCalls)
  const losses = lossList()
  fields.ignore(...placed)
  recordUnread(unread(), losses)
  return {
    id: fields.textIf('id') ?? pen.id('msg_'),
    model: fields.textIf('model') ?? '',
    created: Math.floor(pen.now() / 1000),
    choices: [{ index: 0, parts, finish }],
    usage: settled(readUsage(usage, delivered), delivered, { inputBytes: 0, isOver: true }),
    ...(tier !== undefined && { tier }),
    ...(losses.losses.length > 0 && { losses: losses.losses }),
  }
}

/** Fields of an answer that have a place in every other dialect, or are the same in every answer. */
const placed = ['id', 'type', 'role', 'model', 'content', 'stop_reason', 'stop_sequence', 'usage'] as const

/** Told singly; an upstream that invents fields must not fill the log. */
const mostPaths = 32

function recordUnread(paths: readonly string[], losses: LossList): void {
  for (const path of paths.slice(0, mostPaths)) losses.dropped(path, 'Parley does not know this field of the answer.')
}

/** Records the fields of `piece`, a part of a streamed answer, that have no place in a conversation. */
export function recordUnplaced(piece: JsonObject, losses: LossList): void {
  const { fields, unread } = readBody<MessagesResponse>(piece)
  fields.ignore(...placed)
  recordUnread(unread(), losses)
}

/** The tier that served the answer, in canonical words; undefined when the usage does not say. */
export function readServedTier(usage: unknown): string | undefined {
  if (!isObject(usage) || typeof usage.service_tier !== 'string') return undefined
  return usage.service_tier === 'standard' ? 'default' : usage.service_tier
}
