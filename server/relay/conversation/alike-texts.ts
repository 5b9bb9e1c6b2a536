/**
 * Most events of a converted stream are texts of one part, one after the other. The first is read and written by the codecs; those that
 * are like it but for their text are found in what arrived, and the text is written into what stood around it, as the codec wrote it.
 */
import type { CodecContext, ConversationCodec, Memo, StreamReader, StreamWriter, TakeText, WriteText } from '#canonical/codec'
import type { ConversationEvent } from '#canonical/conversation-event'
import type { Frame } from '#shared/sse'
import { alikeEvents } from '#wire/alike-events'
import { bytesOf } from '#wire/bytewise'

/** What the texts of one stream pass. */
export interface TextWay {
  /** `texts` tells whether and how. */
  reader: StreamReader
  writer: StreamWriter
  /** Makes such a reader. */
  upstream: Pick<ConversationCodec, 'reader'>
  /** Takes the texts of a part that is open. */
  meter: { texts(choice: number, at: number): TakeText }
  /** Hears what else must know of an event; of texts that came together once. */
  seen(event: ConversationEvent): void
  /** Whether the client is told. */
  isShown(event: ConversationEvent): boolean
}

/** The texts of one converted stream. */
export interface AlikeTexts {
  /** Learns from a frame and what it was read as, after it was written. */
  learn(frame: Frame, events: readonly ConversationEvent[]): void
  /** What a frame becomes that is like the last one that was learned from; undefined for any other. */
  take(frame: Frame): Uint8Array | undefined
  /** Takes such frames as `Passage.pass` does. */
  pass(text: string, from: number, most: number): { end: number; bytes: number; out: Uint8Array } | undefined
}

type TextEvent = Extract<ConversationEvent, { kind: 'delta' }> & { delta: { text: string } }

const isText = (event: ConversationEvent): event is TextEvent => event.kind === 'delta' && 'text' in event.delta
/** For a reader of one frame. */
const noMemo: Memo = { toolNames: {}, wrappedTools: [] }
const noContext: CodecContext = { now: () => 0, id: (prefix) => prefix }

const unshown: WriteText = () => ''

/** Nothing is known yet. */
export function alikeTexts({ reader, upstream, writer, meter, seen, isShown }: TextWay): AlikeTexts {
  const usual = alikeEvents()
  let place = { choice: 0, at: 0 }
  /** What was said, and what is to be written, since it was last asked. */
  let said = ''
  let out = ''

  function learn(frame: Frame, events: readonly ConversationEvent[]): void {
    usual.forget()
    const [event] = events
    if (events.length !== 1 || !event || !isText(event)) return
    const { choice, at, delta } = event
    const read = reader.texts?.()
    const write = isShown(event) ? writer.texts?.(choice, at) : unshown
    if (!read || !write) return
    place = { choice, at }
    const count = meter.texts(choice, at)
    usual.learn(
      frame,
      delta.text,
      (json) => onlyText(upstream.reader(noMemo, noContext).push({ raw: frame.raw, event: frame.event, data: json })),
      {
        take(text, bytes, json) {
          read(text, bytes)
          count(text, bytes)
          said += text
          out += write(json, text)
        },
      },
    )
  }

  function written(): Uint8Array {
    seen({ kind: 'delta', ...place, delta: { text: said } })
    const bytes = bytesOf(out)
    said = ''
    out = ''
    return bytes
  }

  return {
    learn,
    take: (frame) => (usual.takes(frame) ? written() : undefined),
    pass(text, from, most) {
      const run = usual.pass(text, from, most)
      return run && { end: run.end, bytes: run.bytes, out: written() }
    },
  }
}

/** The text of a frame that brings nothing else, whatever the reader has to begin for it. */
function onlyText(events: readonly ConversationEvent[]): string | undefined {
  const rest = events.filter(({ kind }) => kind !== 'start' && kind !== 'open')
  const [event] = rest
  return rest.length === 1 && event && isText(event) ? event.delta.text : undefined
}
