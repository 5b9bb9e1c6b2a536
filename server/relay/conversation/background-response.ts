/** The Responses objects of an answer in the background that is not finished, or that failed. Pure. */

import type { GatewayError } from '#shared/errors'
import { parseExact } from '#shared/exact-numbers'
import { isObject } from '#shared/json'

type Fields = Record<string, unknown>

/** Request fields that a response repeats, with their defaults. */
const repeated: Fields = {
  instructions: null,
  max_output_tokens: null,
  max_tool_calls: null,
  metadata: {},
  model: '',
  parallel_tool_calls: true,
  previous_response_id: null,
  prompt_cache_key: null,
  reasoning: { effort: null, summary: null },
  safety_identifier: null,
  service_tier: 'auto',
  temperature: 1,
  text: { format: { type: 'text' } },
  tool_choice: 'auto',
  tools: [],
  top_logprobs: 0,
  top_p: 1,
  truncation: 'disabled',
  user: null,
}

export function repeatedOf(question: Fields): Fields {
  return Object.fromEntries(Object.entries(repeated).map(([name, usual]) => [name, question[name] ?? usual]))
}

/** A response in progress since `created` (seconds). */
export function openResponse(id: string, created: number, echo: Fields): Fields {
  return {
    ...{ id, object: 'response', created_at: created, status: 'in_progress', background: true, completed_at: null, error: null },
    ...{ incomplete_details: null, output: [], usage: null, store: true },
    ...echo,
  }
}

/** The same, cancelled or failed. */
export function closedResponse(response: Fields, why: 'cancelled' | GatewayError): Fields {
  if (why === 'cancelled') return { ...response, status: 'cancelled' }
  return { ...response, status: 'failed', error: { code: why.publicCode ?? 'server_error', message: why.message } }
}

/** The whole answer of an upstream, under this id. */
export function answerAs(id: string, answer: string): string {
  const response = parseExact(answer)
  return isObject(response) ? JSON.stringify({ ...response, id, background: true, store: true }) : answer
}
