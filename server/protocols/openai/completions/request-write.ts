/** The canonical conversation as a Completions request: only what was one can be one again. */
import type { Target, WrittenRequest } from '#canonical/codec'
import type { ConversationRequest } from '#canonical/conversation'
import { recordForeign } from '#canonical/extensions'
import { lossList } from '#canonical/loss'
import { cannotCarry } from '#canonical/refusal'
import type { Body } from '../fields.ts'
import { writeSampling } from '../sampling.ts'

/** Throws GatewayError `unsupported_value` for a request of another dialect: a conversation is no text to be continued. */
export function writeRequest(request: ConversationRequest, target: Target): WrittenRequest {
  if (request.dialect !== 'completions') throw cannotCarry(request, 'turns', 'This upstream only continues text.')
  const losses = lossList()
  recordForeign(request, 'completions', losses)
  const { maxTokens, stop, n, logprobs } = request.output
  const body: Body = {
    ...request.extensions.completions,
    model: target.model,
    ...(promptOf(request) !== undefined && { prompt: promptOf(request) }),
    ...(maxTokens !== undefined && { max_tokens: maxTokens }),
    ...(stop.length > 0 && { stop }),
    ...(n > 1 && { n }),
    ...(logprobs !== undefined && { logprobs }),
    ...writeSampling({ request, target, losses }),
    ...(request.identity.endUser !== undefined && { user: request.identity.endUser }),
    ...(target.stream && { stream: true, stream_options: { include_usage: true } }),
  }
  return { body, headers: {}, losses: losses.losses, memo: { toolNames: {}, wrappedTools: [] } }
}

/** Undefined when the prompt rides in the extensions. What a channel puts before the conversation stands before the text. */
function promptOf({ instructions, turns: [turn] }: ConversationRequest): string | undefined {
  if (!turn) return undefined
  const texts = turn.parts.map((part) => (part.kind === 'text' ? part.text : ''))
  return [...instructions.map((instruction) => instruction.text), texts.join('')].join('\n\n')
}
