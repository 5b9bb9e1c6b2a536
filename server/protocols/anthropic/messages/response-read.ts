/** A whole Messages answer as a conversation's. */
import type { Memo, Pen } from '#canonical/codec'
import type { ConversationResponse } from '#canonical/conversation'
import { nothingDelivered, settled } from '#canonical/delivered'
import { isObject } from '#wire/json-scan'
import { readAnswerBlock } from './answer-read.ts'
import { readFinish } from './finish.ts'
import { measure } from './measure.ts'
import { readUsage } from './usage.ts'
import { parseAnswer } from './whole.ts'

/** Throws GatewayError `upstream_error`, or what an `error` that came with a success means. */
export function readResponse(body: string, memo: Memo, pen: Pen): ConversationResponse {
  const answer = parseAnswer(body)
  const parts = answer.content.map((block) => readAnswerBlock(block, memo)).filter((part) => part !== undefined)
  const hasCalls = parts.some(({ kind }) => kind === 'call')
  const delivered = nothingDelivered()
  for (const block of answer.content) measure(block, delivered)
  const tier = readServedTier(answer.usage)
  return {
    id: typeof answer.id === 'string' ? answer.id : pen.id('msg_'),
    model: typeof answer.model === 'string' ? answer.model : '',
    created: Math.floor(pen.now() / 1000),
    choices: [{ index: 0, parts, finish: readFinish(answer.stop_reason, answer.stop_sequence, hasCalls) }],
    usage: settled(readUsage(answer.usage, delivered), delivered, { inputBytes: 0, isOver: true }),
    ...(tier !== undefined && { tier }),
  }
}

/** The tier that served the answer, in the words of the house. */
export function readServedTier(usage: unknown): string | undefined {
  if (!isObject(usage) || typeof usage.service_tier !== 'string') return undefined
  return usage.service_tier === 'standard' ? 'default' : usage.service_tier
}
