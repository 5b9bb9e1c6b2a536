/** Why an answer ended: a status with details here, one finish reason in the canonical conversation. */
import type { Finish, FinishReason } from '#canonical/conversation'
import type { WrittenFields } from '#protocols/codec/field-writers'
import { isObject } from '#shared/json'

/** The content of an answer, which its status does not reveal. */
export interface Held {
  call: boolean
  refusal: boolean
}

const incomplete: Readonly<Record<string, FinishReason>> = {
  content_filter: 'content-filter',
  max_messages: 'paused',
  steered: 'paused',
}

/** `response` is completed or incomplete. Every unknown reason counts as a limit. */
export function readFinish(response: Record<string, unknown>, held: Held): Finish {
  if (response.status === 'incomplete') {
    const raw = isObject(response.incomplete_details) ? response.incomplete_details.reason : undefined
    const word = typeof raw === 'string' ? raw : 'incomplete'
    return { reason: (Object.hasOwn(incomplete, word) && incomplete[word]) || 'length', raw: word }
  }
  return { reason: held.call ? 'tool-calls' : held.refusal ? 'refusal' : 'stop', raw: 'completed' }
}

type Ended = WrittenFields<Finish, { reason: 'written'; raw: 'notNeeded'; stopSequence: 'notNeeded' }>

export interface Ending {
  status: 'completed' | 'incomplete' | 'failed'
  incomplete_details: { reason: string } | null
}

/** Total: every canonical reason is mapped; a malformed call is a failure, a refusal without text is filtered. */
export function writeFinish(reason: Ended['reason'], { refusal }: Pick<Held, 'refusal'>): Ending {
  const stopped = (why: string): Ending => ({ status: 'incomplete', incomplete_details: { reason: why } })
  switch (reason) {
    case 'stop':
    case 'stop-sequence':
    case 'tool-calls':
      return { status: 'completed', incomplete_details: null }
    case 'refusal':
      return refusal ? { status: 'completed', incomplete_details: null } : stopped('content_filter')
    case 'length':
    case 'context-full':
      return stopped('max_output_tokens')
    case 'content-filter':
      return stopped('content_filter')
    case 'paused':
      return stopped('max_messages')
    case 'bad-tool-call':
      return { status: 'failed', incomplete_details: null }
  }
}
