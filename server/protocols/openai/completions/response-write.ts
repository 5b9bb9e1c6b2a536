/** The canonical response as a whole Completions answer: the text of it. */
import type { CodecContext } from '#canonical/codec'
import type { Choice, ConversationRequest, ConversationResponse, NativePart, Part, RefusalPart, TextPart } from '#canonical/conversation'
import type { LossList } from '#canonical/loss'
import {
  type FieldWriters,
  type KindWriters,
  lossList,
  type WrittenFields,
  writeFields,
  writeKind,
  writtenElsewhere,
} from '#protocols/codec/field-writers'
import { writeUsage } from '../usage.ts'
import { writeFinish } from './finish.ts'
import { writeLogprobs } from './logprobs.ts'

/** What writing an answer needs. */
interface Writing {
  asked: ConversationRequest
  codecContext: CodecContext
  losses: LossList
}

/** Ids of another form are replaced; the model has the client's name for it. */
export function writeResponse(response: ConversationResponse, asked: ConversationRequest, codecContext: CodecContext) {
  const losses = lossList()
  const body = writeFields(response, responseWriters, { asked, codecContext, losses })
  return { body: JSON.stringify(body), losses: losses.losses }
}

const responseWriters: FieldWriters<ConversationResponse, Writing> = {
  id: (id, { codecContext }) => ({ id: id.startsWith('cmpl-') ? id : codecContext.id('cmpl-'), object: 'text_completion' }),
  created: (created) => ({ created }),
  model: (_, { asked }) => ({ model: asked.model }),
  choices: (choices, writing) => ({ choices: choices.map((choice) => writeFields(choice, choiceWriters, writing)) }),
  usage: (usage) => ({ usage: writeUsage(usage) }),
  tier: (service_tier) => ({ service_tier }),
}

const choiceWriters: FieldWriters<Choice, Writing> = {
  parts: (parts, { losses }) => ({ text: parts.map((part) => textOf(part, losses)).join('') }),
  // The client expects `logprobs` even if there are none.
  index: (index, _, { logprobs }) => ({ index, logprobs: writeLogprobs(logprobs) }),
  logprobs: writtenElsewhere,
  finish: (finish) => ({ finish_reason: writeFinish(finish) }),
}

const nothing = () => ''

/** Answers of this dialect have no phases, no state on texts and no cache marks. */
type Text = WrittenFields<TextPart, { text: 'written'; citations: 'written'; phase: 'notNeeded'; cache: 'notNeeded'; opaque: 'notNeeded' }>
type Refusal = WrittenFields<RefusalPart, { text: 'written' }>
/** Answers of this dialect have no blocks of their own. */
type Native = WrittenFields<NativePart, { summary: 'written'; dialect: 'notNeeded'; raw: 'notNeeded'; opaque: 'notNeeded' }>

const texts: KindWriters<Part, LossList, string> = {
  text: ({ text, citations = [] }: Text, losses) => {
    if (citations.length > 0) lostSources(losses)
    return text
  },
  refusal: ({ text }: Refusal) => text,
  native: ({ summary = '' }: Native) => summary,
  // These are lost whole: `noteLosses`.
  reasoning: nothing,
  media: nothing,
  call: nothing,
  result: nothing,
}

function textOf(part: Part, losses: LossList): string {
  noteLosses(part, losses)
  return writeKind(part, texts, losses)
}

/** Records that citations were dropped. */
export const lostSources = (losses: LossList) => losses.leftOut('response.citations', 'A text has no place for sources.')

/** Records what a text cannot express of a part, as soon as it begins. */
export function noteLosses(part: Pick<Part, 'kind'> & { summary?: string }, losses: LossList): void {
  switch (part.kind) {
    case 'text':
      return
    case 'refusal':
      losses.adapted('response.refusal', 'A text has no refusals: the refusal became text.')
      return
    case 'native':
      if (part.summary === undefined) losses.dropped('response.native', 'A block of the answer cannot be expressed as text.')
      else losses.adapted('response.native', 'A block of the answer became text.')
      return
    case 'reasoning':
      losses.leftOut('response.reasoning', 'A text has no place for reasoning.')
      return
    case 'media':
    case 'call':
    case 'result':
      losses.dropped(`response.${part.kind}`, 'It cannot be expressed as text.')
  }
}
