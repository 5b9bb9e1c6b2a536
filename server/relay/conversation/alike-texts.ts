/**
 * Most events of a converted stream are texts of one part, one after the other. The first is read and written by the codecs; those that
 * are like it but for their text are found in what arrived, and the text is written into what stood around it, as the codec wrote it.
 */
import type { CodecContext, ConversationCodec, Memo, StreamReader, StreamWriter, TakeText, WriteText } from '#canonical/codec'
import type { ConversationEvent } from '#canonical/conversation-event'
import type { Frame } from '#shared/sse'
import { alikeEvents, type StringTaker } from '#wire/alike-events'
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

type TextEvent = Extract<ConversationEvent, { kind: 'delta' }> & { delta: { text: string } }

const isText = (event: ConversationEvent): event is TextEvent => event.kind === 'delta' && 'text' in event.delta
/** For a reader of one frame. */
const noMemo: Memo = { toolNames: {}, wrappedTools: [] }
const noContext: CodecContext = { now: () => 0, id: (prefix) => prefix }

const unshown: WriteText = () => ''

/** The texts of one converted stream. */
export class AlikeTexts implements StringTaker {
  readonly #way: TextWay
  readonly #usual = alikeEvents()
  #place = { choice: 0, at: 0 }
  #read: TakeText | undefined
  #count: TakeText | undefined
  #write: WriteText = unshown
  /** What was said, and what is to be written, since it was last asked. */
  #said = ''
  #out = ''

  constructor(way: TextWay) {
    this.#way = way
  }

  /** Learns from a frame and what it was read as, after it was written. */
  learn(frame: Frame, events: readonly ConversationEvent[]): void {
    this.#usual.forget()
    const [event] = events
    if (events.length !== 1 || !event || !isText(event)) return
    const { reader, writer, meter, upstream, isShown } = this.#way
    const { choice, at, delta } = event
    const read = reader.texts?.()
    const write = isShown(event) ? writer.texts?.(choice, at) : unshown
    if (!read || !write) return
    this.#place = { choice, at }
    this.#read = read
    this.#count = meter.texts(choice, at)
    this.#write = write
    const readAlone = (json: string) =>
      onlyText(upstream.reader(noMemo, noContext).push({ raw: frame.raw, event: frame.event, data: json }))
    this.#usual.learn(frame, delta.text, readAlone, this)
  }

  /** What a frame becomes that is like the last one that was learned from; undefined for any other. */
  takes(frame: Frame): Uint8Array | undefined {
    return this.#usual.takes(frame) ? this.#written() : undefined
  }

  /** Takes such frames as `Passage.pass` does. */
  pass(text: string, from: number, most: number): { end: number; bytes: number; out: Uint8Array } | undefined {
    const run = this.#usual.pass(text, from, most)
    return run && { end: run.end, bytes: run.bytes, out: this.#written() }
  }

  /** Takes the text of an event. */
  take(text: string, bytes: number, json: string): void {
    this.#read?.(text, bytes)
    this.#count?.(text, bytes)
    this.#said += text
    this.#out += this.#write(json, text)
  }

  #written(): Uint8Array {
    this.#way.seen({ kind: 'delta', ...this.#place, delta: { text: this.#said } })
    const bytes = bytesOf(this.#out)
    this.#said = ''
    this.#out = ''
    return bytes
  }
}

/** The text of a frame that brings nothing else, whatever the reader has to begin for it. */
function onlyText(events: readonly ConversationEvent[]): string | undefined {
  const rest = events.filter(({ kind }) => kind !== 'start' && kind !== 'open')
  const [event] = rest
  return rest.length === 1 && event && isText(event) ? event.delta.text : undefined
}
