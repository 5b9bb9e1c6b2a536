/** The frame that streams of Chat and Completions share, written: the head of every chunk, usage, terminator, error. */
import type { CodecContext } from '#canonical/codec'
import type { ConversationRequest } from '#canonical/conversation'
import type { ConversationEvent } from '#canonical/conversation-event'
import type { Usage } from '#canonical/usage'
import type { WrittenKind } from '#protocols/codec/field-writers'
import { around } from '#wire/around'
import { writeStreamError } from './error.ts'
import type { Body } from './fields.ts'
import { writeUsage } from './usage.ts'

const encoder = new TextEncoder()
const nothing = new Uint8Array()

/** The fields of each event that Chat and Completions write. The model has the client's name for it. */
export type ChunkEvent =
  | WrittenKind<ConversationEvent, 'start', { id: 'written'; created: 'written'; usage: 'written'; model: 'notNeeded' }>
  | WrittenKind<ConversationEvent, 'open', { choice: 'written'; at: 'written'; part: 'written' }>
  | WrittenKind<ConversationEvent, 'delta', { choice: 'written'; at: 'written'; delta: 'written' }>
  | WrittenKind<ConversationEvent, 'close', { choice: 'written'; at: 'written' }>
  | WrittenKind<ConversationEvent, 'usage', { usage: 'written' }>
  | WrittenKind<ConversationEvent, 'finish', { choice: 'written'; finish: 'written' }>
  | WrittenKind<ConversationEvent, 'end', { tier: 'written' }>
  | WrittenKind<ConversationEvent, 'error', { error: 'written' }>

export interface ChunkWriter {
  /** Chunks with one choice each. */
  chunks(choices: readonly Body[]): Uint8Array
  /** The text around the marker in a chunk with this choice. */
  around(choice: Body): ReturnType<typeof around>
  /** What every dialect of the family writes alike; undefined when the event is the dialect's own. */
  push: (event: ChunkEvent) => Uint8Array | undefined
}

/** `prefix` is what ids of this dialect begin with, `object` what its chunks are called. */
export function chunkWriter(
  asked: ConversationRequest,
  codecContext: CodecContext,
  { prefix, object }: { prefix: string; object: string },
): ChunkWriter {
  let head = ''
  let usage: Usage | undefined
  let isOver = false
  // A client that requested usage gets the key in every chunk, others in none.
  const tail = asked.usageAsked ? ',"usage":null}' : '}'

  function start(id: string, created: number): void {
    const named = { id: id.startsWith(prefix) ? id : codecContext.id(prefix), object, created, model: asked.model }
    head = JSON.stringify(named).slice(0, -1)
  }

  function end(tier: string | undefined): Uint8Array {
    isOver = true
    const served = tier === undefined ? '' : `,"service_tier":${JSON.stringify(tier)}`
    const figures = asked.usageAsked && usage ? `data: ${head},"choices":[]${served},"usage":${JSON.stringify(writeUsage(usage))}}\n\n` : ''
    return encoder.encode(`${figures}data: [DONE]\n\n`)
  }

  const textOf = (choice: Body) => `data: ${head},"choices":[${JSON.stringify(choice)}]${tail}\n\n`

  return {
    chunks: (choices) => encoder.encode(choices.map(textOf).join('')),
    around: (choice) => around(textOf(choice)),
    push(event) {
      if (isOver) return nothing
      switch (event.kind) {
        case 'start':
          start(event.id, event.created)
          usage = event.usage
          return undefined
        case 'usage':
          usage = event.usage
          return nothing
        case 'end':
          return end(event.tier)
        case 'error':
          isOver = true
          return writeStreamError(event.error)
        case 'open':
        case 'delta':
        case 'close':
        case 'finish':
          return undefined
      }
    },
  }
}
