/**
 * Most events of a converted stream are text deltas of one part. The first one is read and written by the codecs. Later ones that differ
 * only in their text are recognised in the raw bytes, and their text is put into the codec's output for the first one.
 */
import type { CodecContext, ConversationCodec, Memo, StreamReader, StreamWriter, TakeText, WriteText } from '#canonical/codec'
import type { ConversationEvent } from '#canonical/conversation-event'
import type { Frame } from '#shared/sse'
import { bytesOf } from '#wire/bytewise'
import { type StringTaker, similarEvents } from '#wire/similar-events'

/** What the texts of one stream pass through. */
export interface TextPipeline {
  /** Its `texts` says whether and how. */
  reader: StreamReader
  writer: StreamWriter
  /** Makes such a reader. */
  upstream: Pick<ConversationCodec, 'reader'>
  /** Counts the texts of an open part. */
  meter: { texts(choice: number, at: number): TakeText }
  /** Called for each event, and once for texts that came together. */
  seen(event: ConversationEvent): void
  /** Whether the client gets the event. */
  isShown(event: ConversationEvent): boolean
}

type TextEvent = Extract<ConversationEvent, { kind: 'delta' }> & { delta: { text: string } }

const isText = (event: ConversationEvent): event is TextEvent => event.kind === 'delta' && 'text' in event.delta
/** For reading a single frame. */
const noMemo: Memo = { toolNames: {}, wrappedTools: [] }
const noContext: CodecContext = { now: () => 0, id: (prefix) => prefix }

const unshown: WriteText = () => ''

/** The texts of one converted stream. */
export class SimilarTexts implements StringTaker {
  readonly #pipeline: TextPipeline
  readonly #usual = similarEvents()
  #place = { choice: 0, at: 0 }
  #read: TakeText | undefined
  #count: TakeText | undefined
  #write: WriteText = unshown
  /** Text received and output pending since the last call. */
  #pending = ''
  #out = ''

  constructor(pipeline: TextPipeline) {
    this.#pipeline = pipeline
  }

  /** Learns the pattern of a frame from its events, after they were written. */
  learn(frame: Frame, events: readonly ConversationEvent[]): void {
    this.#usual.forget()
    const [event] = events
    if (events.length !== 1 || !event || !isText(event)) return
    const { reader, writer, meter, upstream, isShown } = this.#pipeline
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

  /** The output for a frame that matches the learned pattern; undefined for any other. */
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
    this.#pending += text
    this.#out += this.#write(json, text)
  }

  #written(): Uint8Array {
    this.#pipeline.seen({ kind: 'delta', ...this.#place, delta: { text: this.#pending } })
    const bytes = bytesOf(this.#out)
    this.#pending = ''
    this.#out = ''
    return bytes
  }
}

/** The text of a frame that carries nothing else, apart from the start of its part. */
function onlyText(events: readonly ConversationEvent[]): string | undefined {
  const rest = events.filter(({ kind }) => kind !== 'start' && kind !== 'open')
  const [event] = rest
  return rest.length === 1 && event && isText(event) ? event.delta.text : undefined
}
