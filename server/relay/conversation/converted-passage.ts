/** Converts the events of a stream from one dialect to another. */
import type { Frame, FrameVerdict, StreamReader, StreamWriter } from '#canonical/codec'
import type { ConversationEvent } from '#canonical/conversation-event'
import { type EventMeter, eventMeter } from '#canonical/event-meter'
import { joinLosses, type Loss } from '#canonical/loss'
import type { Scale, TextListener, TokenEstimator } from '#canonical/token-estimator'
import type { Usage } from '#canonical/usage'
import type { ReasoningState } from '#reasoning-state/reasoning-state'
import type { Passage } from '#relay/contract/exchange'
import { roughlyAs } from '#relay/exchange/token-estimator'
import type { GatewayError } from '#shared/errors'
import { type AskedFor, askedFor } from './asked-for.ts'
import type { Conversion } from './conversion.ts'
import { SimilarTexts } from './similar-texts.ts'

/** The part of an event that the client gets at once: usage is sent at the end, as it is charged. */
function sentAtOnce(event: ConversationEvent, { isPlausible }: TokenEstimator): ConversationEvent | undefined {
  if (event.kind === 'usage') return undefined
  if (event.kind !== 'start' || !event.usage || isPlausible?.(event.usage) !== false) return event
  const { usage: _, ...start } = event
  return start
}

/** The passage of a converted stream; `reader` reads the upstream's frames. */
export class ConvertedPassage implements Passage, TextListener {
  readonly hasEndMarker = true
  readonly #reader: StreamReader
  readonly #writer: StreamWriter
  readonly #inputBytes: number
  readonly #estimator: TokenEstimator
  readonly #rough: Scale
  readonly #meter: EventMeter
  readonly #seen: ReturnType<ReasoningState['recorder']>
  readonly #carryOut: ReturnType<ReasoningState['sealingStream']>
  readonly #given: AskedFor
  readonly #similar: SimilarTexts
  #textBytes = 0
  #hitLimit = false
  #tier: string | undefined

  constructor(conversion: Conversion, reader: StreamReader) {
    const { client, upstream, request, codecContext, reasoningState, tenant, maker, inputBytes, question } = conversion
    this.#reader = reader
    this.#writer = client.writer(request, codecContext)
    this.#inputBytes = inputBytes
    this.#estimator = conversion.estimator()
    this.#rough = roughlyAs(this.#estimator)
    this.#meter = eventMeter(this)
    this.#seen = reasoningState.recorder(tenant, maker, question)
    this.#carryOut = reasoningState.sealingStream(tenant, client.dialect)
    this.#given = askedFor(request, upstream.dialect)
    this.#similar = new SimilarTexts({
      reader,
      upstream,
      writer: this.#writer,
      meter: this.#meter,
      seen: this.#seen,
      isShown: (event) => this.#given.event(event) !== undefined,
    })
  }

  push(frame: Frame): FrameVerdict {
    const out = this.#similar.takes(frame)
    if (out) return { out, meaningful: true }
    const events = this.#reader.push(frame)
    const verdict = this.#write(events)
    this.#similar.learn(frame, events)
    return verdict
  }

  pass(text: string, from: number, most: number): ReturnType<SimilarTexts['pass']> {
    return this.#similar.pass(text, from, most)
  }

  addText(text: string, bytes: number): void {
    this.#textBytes += bytes
    this.#estimator.addText(text, bytes)
  }

  close(): FrameVerdict {
    return this.#write(this.#reader.end(undefined))
  }

  usage(): Usage {
    return this.#meter.used(this.#inputBytes, this.#rough)
  }

  counted(): Usage {
    return this.#meter.used(this.#inputBytes, this.#estimator)
  }

  textBytes(): number {
    return this.#textBytes
  }

  tier(): string | undefined {
    return this.#tier
  }

  finished(): 'complete' | 'length' {
    return this.#hitLimit ? 'length' : 'complete'
  }

  losses(): readonly Loss[] {
    return joinLosses(this.#reader.losses?.(), this.#writer.losses())
  }

  failure(error: GatewayError): Uint8Array | undefined {
    this.#addUsage()
    return this.#writer.push({ kind: 'error', error })
  }

  #write(events: readonly ConversationEvent[]): FrameVerdict {
    const out: Uint8Array[] = []
    let meaningful = false
    this.#meter.add(events)
    for (const read of events) {
      const error = read.kind === 'error' ? read.error : read.kind === 'finish' ? this.#given.failure(read.finish) : undefined
      if (error) return { out: Buffer.concat(out), meaningful, error }
      meaningful = this.#means(read) || meaningful
      const event = sentAtOnce(read, this.#estimator)
      if (!event) continue
      this.#seen(event)
      if (event.kind === 'end') {
        this.#tier = event.tier
        this.#addUsage()
      }
      const shown = this.#given.event(event)
      for (const carried of shown ? this.#carryOut(shown) : []) out.push(this.#writer.push(carried))
      if (event.kind === 'end') return { out: Buffer.concat(out), meaningful: true, last: true }
    }
    const bytes = out.length === 1 ? out[0] : Buffer.concat(out)
    return { out: bytes && bytes.byteLength > 0 ? bytes : undefined, meaningful }
  }

  #means(event: ConversationEvent): boolean {
    switch (event.kind) {
      case 'open':
        return event.part.kind === 'call' || event.part.kind === 'native'
      case 'finish':
        this.#hitLimit ||= event.finish.reason === 'length' || event.finish.reason === 'context-full'
        return true
      case 'delta':
      case 'end':
        return true
      case 'start':
      case 'usage':
      case 'close':
      case 'error':
        return false
    }
  }

  /** Gives the writer the usage that is charged. It has no bytes of its own: it is written with what follows. */
  #addUsage(): void {
    this.#writer.push({ kind: 'usage', usage: this.counted() })
  }
}
