/** Events as a Completions stream: the text of every part that has one, as it comes. */
import type { CodecContext, StreamWriter } from '#canonical/codec'
import type { ConversationRequest } from '#canonical/conversation'
import type { ConversationEvent, Delta } from '#canonical/conversation-event'
import { lossList } from '#protocols/codec/field-writers'
import { chunkWriter } from '../chunk-write.ts'
import type { Body } from '../fields.ts'
import { writeFinish } from './finish.ts'
import { writeLogprobs } from './logprobs.ts'
import { lostSources, noteLosses } from './response-write.ts'

/** `asked` is the client's own request. */
export function writer(asked: ConversationRequest, codecContext: CodecContext): StreamWriter {
  const frame = chunkWriter(asked, codecContext, { prefix: 'cmpl-', object: 'text_completion' })
  const losses = lossList()
  /** Parts whose text is shown, by choice and place. */
  const shown = new Set<string>()
  /** Characters of logged tokens, by choice. */
  const logged = new Map<number, number>()

  const chunk = (index: number, text: string, more: Body = {}): Body => ({ text, index, logprobs: null, finish_reason: null, ...more })

  function write(event: ConversationEvent): Body[] {
    switch (event.kind) {
      case 'open':
        noteLosses(event.part, losses)
        if (event.part.kind === 'text' || event.part.kind === 'refusal') shown.add(`${event.choice}/${event.at}`)
        return event.part.kind === 'native' && event.part.summary !== undefined ? [chunk(event.choice, event.part.summary)] : []
      case 'delta':
        return shown.has(`${event.choice}/${event.at}`) ? writeDelta(event.choice, event.delta) : []
      case 'close':
        shown.delete(`${event.choice}/${event.at}`)
        return []
      case 'finish':
        return [chunk(event.choice, '', { finish_reason: writeFinish(event.finish) })]
      case 'start':
      case 'usage':
      case 'end':
      case 'error':
        return []
    }
  }

  function writeDelta(choice: number, delta: Delta): Body[] {
    if ('text' in delta) return delta.text === '' ? [] : [chunk(choice, delta.text)]
    if ('citation' in delta) lostSources(losses)
    if (!('logprobs' in delta)) return []
    const from = logged.get(choice) ?? 0
    logged.set(
      choice,
      delta.logprobs.reduce((sum, { token }) => sum + token.length, from),
    )
    return [chunk(choice, '', { logprobs: writeLogprobs(delta.logprobs, from) })]
  }

  return { push: (event) => frame.push(event) ?? frame.chunks(write(event)), losses: () => losses.losses }
}
