/** The canonical response as a whole Completions answer: the text of it. */
import type { Pen } from '#canonical/codec'
import type { Choice, ConversationRequest, ConversationResponse, Part, PartHead } from '#canonical/conversation'
import { type LossList, lossList } from '#canonical/loss'
import type { Body } from '../fields.ts'
import { writeUsage } from '../usage.ts'
import { writeFinish } from './finish.ts'
import { writeLogprobs } from './logprobs.ts'

/** Ids of another form are replaced; the model is called what the client called it. */
export function writeResponse(response: ConversationResponse, asked: ConversationRequest, pen: Pen) {
  const losses = lossList()
  const body: Body = {
    id: response.id.startsWith('cmpl-') ? response.id : pen.id('cmpl-'),
    object: 'text_completion',
    created: response.created,
    model: asked.model,
    choices: response.choices.map((choice) => writeChoice(choice, losses)),
    usage: writeUsage(response.usage),
    ...(response.tier !== undefined && { service_tier: response.tier }),
  }
  return { body: JSON.stringify(body), losses: losses.losses }
}

function writeChoice({ index, parts, finish, logprobs }: Choice, losses: LossList): Body {
  const text = parts.map((part) => textOf(part, losses)).join('')
  return { text, index, logprobs: writeLogprobs(logprobs), finish_reason: writeFinish(finish) }
}

function textOf(part: Part, losses: LossList): string {
  noteLosses(part, losses)
  if (part.kind === 'text' && part.citations?.length) lostSources(losses)
  if (part.kind === 'text' || part.kind === 'refusal') return part.text
  return part.kind === 'native' ? (part.summary ?? '') : ''
}

export const lostSources = (losses: LossList) => losses.forgotten('response.citations', 'A text has no place for sources.')

/** What a text cannot say of a part, as soon as it begins. */
export function noteLosses(part: Part | PartHead, losses: LossList): void {
  switch (part.kind) {
    case 'text':
      return
    case 'refusal':
      losses.adapted('response.refusal', 'A text has no place for a refusal: its words are text.')
      return
    case 'native':
      if (part.summary === undefined) losses.dropped('response.native', 'A block of the answer has no place in a text.')
      else losses.adapted('response.native', 'A block of the answer became text.')
      return
    case 'reasoning':
      losses.forgotten('response.reasoning', 'A text has no place for reasoning.')
      return
    case 'media':
    case 'call':
    case 'result':
      losses.dropped(`response.${part.kind}`, 'It has no place in a text.')
  }
}
