/** A whole Completions answer as the canonical response. */
import type { CodecContext, Memo } from '#canonical/codec'
import type { Choice, ConversationResponse } from '#canonical/conversation'
import { nothingDelivered, settled } from '#canonical/delivered'
import { indexOf, readAnswer, readChoices, readOrigin } from '../answer.ts'
import { measureText } from '../choice.ts'
import type { Body } from '../fields.ts'
import { readUsage } from '../usage.ts'
import { readFinish } from './finish.ts'
import { readLogprobs } from './logprobs.ts'

/** Throws GatewayError `upstream_error` when the body is no answer, or tells of a failure. */
export function readResponse(body: string, _memo: Memo, codecContext: CodecContext): ConversationResponse {
  const answer = readAnswer(body)
  const choices = readChoices(answer)
  const delivered = nothingDelivered()
  for (const choice of choices) measureText(choice, delivered)
  return {
    ...readOrigin(answer, 'cmpl-', codecContext),
    choices: choices.map(readChoice),
    usage: settled(readUsage(answer.usage, delivered), delivered, { inputBytes: 0, isOver: true }),
    ...(typeof answer.service_tier === 'string' && { tier: answer.service_tier }),
  }
}

function readChoice(choice: Body, position: number): Choice {
  const { text, finish_reason: raw } = choice
  const logprobs = readLogprobs(choice.logprobs)
  return {
    index: indexOf(choice, position),
    parts: typeof text === 'string' && text !== '' ? [{ kind: 'text', text }] : [],
    finish: readFinish(raw),
    ...(logprobs.length > 0 && { logprobs }),
  }
}
