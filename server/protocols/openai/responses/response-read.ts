/** A whole answer of an upstream that speaks this dialect. */
import type { Memo, Pen } from '#canonical/codec'
import type { ConversationResponse } from '#canonical/conversation'
import { itemsAmount } from '../item-tally.ts'
import { notAnAnswer } from './error.ts'
import { readFinish } from './finish.ts'
import { parseResponse } from './response-meter.ts'
import { readOutputItems } from './response-read-items.ts'
import { readUsage, searchCalls, searchesOf, settleUsage } from './usage.ts'

/** Throws GatewayError `upstream_error` when the body is no answer, or one that is not finished. */
export function readResponse(body: string, memo: Memo, pen: Pen): ConversationResponse {
  const response = parseResponse(body)
  if (response.status === 'queued' || response.status === 'in_progress') throw notAnAnswer()
  const { parts, logprobs } = readOutputItems(response.output, { memo, pen })
  const held = { call: parts.some((part) => part.kind === 'call'), refusal: parts.some((part) => part.kind === 'refusal') }
  const delivered = itemsAmount(response.output)
  const searches = searchesOf(response, searchCalls(response.output))
  return {
    ...headOf(response, pen),
    choices: [{ index: 0, parts, finish: readFinish(response, held), ...(logprobs.length > 0 && { logprobs }) }],
    usage: settleUsage(readUsage(response.usage, delivered), delivered, searches, { inputBytes: 0, isOver: true }),
    ...(typeof response.service_tier === 'string' && { tier: response.service_tier }),
  }
}

/** What an answer is called, with stand-ins for what the upstream leaves out. */
export function headOf({ id, model, created_at: created }: Record<string, unknown>, pen: Pen) {
  return {
    id: typeof id === 'string' && id !== '' ? id : pen.id('resp_'),
    model: typeof model === 'string' ? model : '',
    created: typeof created === 'number' && created > 0 ? Math.floor(created) : Math.floor(pen.now() / 1000),
  }
}
