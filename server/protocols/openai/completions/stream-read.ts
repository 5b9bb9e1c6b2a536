/** A Completions stream as events: one text a choice. */
import type { CodecContext, Memo, StreamReader } from '#canonical/codec'
import type { ConversationEvent, Delta } from '#canonical/conversation-event'
import { knownFields } from '#protocols/codec/known-fields'
import { type ChoiceReader, chunkFields, chunkReader } from '../chunk-read.ts'
import type { Body } from '../fields.ts'
import { readFinish } from './finish.ts'
import { readLogprobs } from './logprobs.ts'

/** Reads the stream of an upstream. */
export function reader(_memo: Memo, codecContext: CodecContext): StreamReader {
  return chunkReader({ prefix: 'cmpl-', known, begin: choiceReader }, codecContext)
}

const known = chunkFields(knownFields('index text logprobs finish_reason error'))

function choiceReader(choice: number): ChoiceReader {
  let isOpen = false
  let finish: string | undefined

  function push({ text, logprobs, finish_reason: raw }: Body): ConversationEvent[] {
    if (typeof raw === 'string' && raw !== '') finish = raw
    const tokens = readLogprobs(logprobs)
    const said: Delta[] = tokens.length > 0 ? [{ logprobs: tokens }] : []
    if (typeof text === 'string' && text !== '') said.push({ text })
    if (said.length === 0) return []
    const events: ConversationEvent[] = isOpen ? [] : [{ kind: 'open', choice, at: 0, part: { kind: 'text' } }]
    isOpen = true
    for (const delta of said) events.push({ kind: 'delta', choice, at: 0, delta })
    return events
  }

  return {
    push,
    isFinished: () => finish !== undefined,
    end: () => [...(isOpen ? [{ kind: 'close' as const, choice, at: 0 }] : []), { kind: 'finish', choice, finish: readFinish(finish) }],
  }
}
