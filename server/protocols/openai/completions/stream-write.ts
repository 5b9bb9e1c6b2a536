/** Events as a Completions stream: the text of every part that has one, as it arrives. */
import type { CodecContext, StreamWriter, WriteText } from '#canonical/codec'
import type { ConversationRequest } from '#canonical/conversation'
import type { Delta, PartHead } from '#canonical/conversation-event'
import { lossList, type WrittenFields, type WrittenKind } from '#protocols/codec/field-writers'
import { marker } from '#wire/around'
import { type ChunkEvent, chunkWriter } from '../chunk-write.ts'
import type { Body } from '../fields.ts'
import { writeFinish } from './finish.ts'
import { writeLogprobs } from './logprobs.ts'
import { lostSources, noteLosses } from './response-write.ts'

/** Parts that are text here; others are lost whole. Answers of this dialect have no phases and no blocks of their own. */
type Head =
  | WrittenKind<PartHead, 'text', { phase: 'notNeeded' }>
  | WrittenKind<PartHead, 'refusal', { kind: 'written' }>
  | WrittenKind<PartHead, 'native', { summary: 'written'; dialect: 'notNeeded'; raw: 'notNeeded'; opaque: 'notNeeded' }>
  | Extract<PartHead, { kind: 'reasoning' | 'media' | 'call' }>

type Piece = WrittenFields<
  Delta,
  { text: 'written'; citation: 'written'; logprobs: 'written'; segment: 'notNeeded'; data: 'notNeeded'; opaque: 'notNeeded' }
>

/** `asked` is the client's own request. */
export function writer(asked: ConversationRequest, codecContext: CodecContext): StreamWriter {
  const frame = chunkWriter(asked, codecContext, { prefix: 'cmpl-', object: 'text_completion' })
  const losses = lossList()
  /** Parts whose text is shown, by choice and place. */
  const shown = new Set<string>()
  /** Characters of logged tokens, by choice. */
  const logged = new Map<number, number>()

  const chunk = (index: number, text: string, more: Body = {}): Body => ({ text, index, logprobs: null, finish_reason: null, ...more })

  function write(event: ChunkEvent): Body[] {
    switch (event.kind) {
      case 'open':
        return open(event.choice, event.at, event.part)
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

  function open(choice: number, at: number, head: Head): Body[] {
    noteLosses(head, losses)
    if (head.kind === 'text' || head.kind === 'refusal') shown.add(`${choice}/${at}`)
    return head.kind === 'native' && head.summary !== undefined ? [chunk(choice, head.summary)] : []
  }

  function writeDelta(choice: number, delta: Piece): Body[] {
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

  function texts(choice: number, at: number): WriteText | undefined {
    const parts = shown.has(`${choice}/${at}`) ? frame.around(chunk(choice, marker)) : undefined
    if (!parts) return undefined
    const [before, after] = parts
    return (json) => before + json + after
  }

  return { push: (event) => frame.push(event) ?? frame.chunks(write(event)), texts, losses: () => losses.losses }
}
