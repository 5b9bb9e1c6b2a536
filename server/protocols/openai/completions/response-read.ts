/** A whole Completions answer as the canonical response. */
import type { CodecContext, Memo, ReadResponse } from '#canonical/codec'
import type { Choice } from '#canonical/conversation'
import { nothingDelivered, settled } from '#canonical/delivered'
import { type Fields, readBody } from '#protocols/codec/fields'
import type { CompletionsAnswer, CompletionsChoice } from '#shared/protocols/openai/completions'
import { indexOf, readAnswer, readChoices, readOrigin, unplaced } from '../answer.ts'
import { measureText } from '../choice.ts'
import { readUsage } from '../usage.ts'
import { readFinish } from './finish.ts'
import { readLogprobs } from './logprobs.ts'

/** Throws GatewayError `upstream_error` when the body is not an answer or reports a failure. */
export function readResponse(body: string, _memo: Memo, codecContext: CodecContext): ReadResponse {
  const answer = readAnswer(body)
  const delivered = nothingDelivered()
  for (const choice of readChoices(answer)) measureText(choice, delivered)
  const { fields, unread } = readBody<CompletionsAnswer>(answer)
  const tier = fields.textIf('service_tier')
  // Metadata of an answer, and fields that only its upstream can use.
  fields.ignore('id', 'object', 'created', 'model', 'system_fingerprint', 'provider')
  const response = {
    ...readOrigin(answer, 'cmpl-', codecContext),
    choices: fields.objectsIf('choices').map(readChoice),
    usage: settled(readUsage(fields.json('usage'), delivered), delivered, { inputBytes: 0, isOver: true }),
    ...(tier !== undefined && { tier }),
  }
  return { ...response, ...unplaced(unread(), answer.usage) }
}

function readChoice(choice: Fields<CompletionsChoice>, position: number): Choice {
  const text = choice.textIf('text')
  const logprobs = readLogprobs(choice.json('logprobs'))
  return {
    index: indexOf({ index: choice.json('index') }, position),
    parts: text ? [{ kind: 'text', text }] : [],
    finish: readFinish(choice.json('finish_reason')),
    ...(logprobs.length > 0 && { logprobs }),
  }
}
