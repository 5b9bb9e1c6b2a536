/**
 * Records one request as it passes, at its four borders. Bytes are only referenced, not copied, and nothing waits for it. What it holds
 * counts against the shared room of all captures; a request without room is given up and counted.
 */
import type { Source } from '#runtime/outgoing-body'
import type { End } from '#shared/ids'
import type { UpstreamRequest } from '#upstream/upstream'
import type { Addressee, NotedPart } from './noted-part.ts'
import type { RecordFacts } from './record.ts'

/** Most bytes of one body: of a larger one only the head is stored. */
export const mostBodyBytes = 16 * 1024 * 1024
/** Most bytes and frames of one direction of a session at one border, and the bytes beyond which large frames (audio) are dropped. */
const mostFrameBytes = 1024 * 1024
const mostFrames = 20_000
const mostSoundBytes = (mostFrameBytes / 4) * 3
const largeFrame = 4096

/** What a capture needs from its creator. */
export interface CaptureHost {
  /** Monotonic milliseconds. */
  now(): number
  /** Reserves room for `bytes`; false when there is none. Frames of sessions, which last for hours, may use only half of the room. */
  take(bytes: number, isFrame?: boolean): boolean
  /** Releases room. */
  give(bytes: number): void
  /** The request is over and its answer was sent. */
  finished(capture: Capture): void
}

/** The owner of a body. */
export type Owner = Pick<RecordFacts, 'userId' | 'memberId' | 'keyId'>

/** A request that may be stored. Every method is cheap and never throws by itself. */
export class Capture {
  readonly facts: RecordFacts
  /** The value of the header `x-parley-stored`; undefined: the request forbids storing. */
  label: string | undefined
  /** Whether `store: false` in the body of the request forbids storing. */
  readonly heedsStore: boolean
  /** Stored only if it fails. */
  readonly onlyFailed: boolean
  readonly parts: NotedPart[] = []
  /** Bytes of room reserved. */
  held = 0
  /** There was no room for it. */
  isGivenUp = false
  /** How it ended; undefined: not yet. */
  end: End | undefined
  readonly #host: CaptureHost
  readonly #beganAt: number
  #calls = 0
  #answer: NotedPart | undefined
  #isAnswered = false
  #lastFrameUs = 0

  constructor(host: CaptureHost, facts: RecordFacts, kept: { label: string; onlyFailed: boolean; heedsStore?: boolean }) {
    this.#host = host
    this.#beganAt = host.now()
    this.facts = facts
    this.label = kept.label
    this.onlyFailed = kept.onlyFailed
    this.heedsStore = kept.heedsStore ?? false
  }

  /** The client's request, before its body; `address`: its path and query. */
  asked(head: Pick<NotedPart, 'method' | 'address' | 'headers'>): void {
    this.begin({ border: 'client-request', ...head })
  }

  /** A piece of the body of the client's request. Its bytes are copied if they will be transferred. */
  askedWith(bytes: Uint8Array, isHandedAway = false): void {
    const [part] = this.parts
    if (part) this.add(part, isHandedAway ? bytes.slice() : bytes)
  }

  /** A frame of the client. */
  askedFrame(frame: Uint8Array | string): void {
    const [part] = this.parts
    if (part) this.addFrame(part, frame)
  }

  /** The request must not be stored: drops what was recorded, and records nothing more. */
  forbid(): void {
    this.label = undefined
    this.#giveUp()
  }

  /** Begins the next upstream call, before its body. */
  called(to: Addressee, { method, url: address, headers }: UpstreamRequest): NotedPart {
    return this.begin({ border: 'upstream-request', call: this.#calls++, to, method, address, headers })
  }

  /** The client's answer, before its body. */
  answering(status: number, headers: Record<string, string>): void {
    this.#answer = this.begin({ border: 'client-answer', status, headers })
  }

  /** A piece of the body of the client's answer. */
  answered(bytes: Uint8Array | string): void {
    if (this.#answer) this.add(this.#answer, bytes)
  }

  /** A frame to the client. */
  answeredFrame(frame: Uint8Array | string): void {
    if (this.#answer) this.addFrame(this.#answer, frame)
  }

  /** Nothing more of the answer is sent; `broken`: why it ended early. */
  answerOver(broken?: string): void {
    if (this.#isAnswered) return
    this.#isAnswered = true
    if (this.#answer && broken !== undefined) this.#answer.broken = broken
    this.#finish()
  }

  /** The whole answer at once. */
  answeredWhole(status: number, headers: Record<string, string>, body: Uint8Array | string): void {
    this.answering(status, headers)
    this.answered(body)
    this.answerOver()
  }

  /** The same answer, recorded as it is sent. */
  answerOf(source: Source): Source {
    return {
      ready: () => source.ready?.(),
      next: () => source.next(),
      broke: () => source.broke?.() === true,
      passed: (bytes) => {
        if (bytes) this.answered(bytes)
        else this.answerOver(source.broke?.() ? 'cut' : undefined)
      },
      close: () => {
        source.close()
        this.answerOver('client_closed_request')
      },
    }
  }

  /** The request has its usage row. */
  settled(end: End): void {
    this.end ??= end
    this.#finish()
  }

  #finish(): void {
    if (this.#isAnswered && this.end !== undefined) this.#host.finished(this)
  }

  /** Begins a body, now. */
  begin(head: Omit<NotedPart, 'bytes' | 'pieces' | 'chunks' | 'atMs'>): NotedPart {
    const part: NotedPart = { ...head, atMs: this.#elapsed(), bytes: 0, pieces: [], chunks: [] }
    this.parts.push(part)
    return part
  }

  #elapsed(): number {
    return Math.round(this.#host.now() - this.#beganAt)
  }

  /** Bytes of a body. */
  add(part: NotedPart, bytes: Uint8Array | string): void {
    const size = typeof bytes === 'string' ? Buffer.byteLength(bytes) : bytes.byteLength
    part.bytes += size
    if (this.isGivenUp || part.leftOut || size === 0) return
    if (part.bytes > mostBodyBytes) {
      part.leftOut = true
      this.#release(part.bytes - size)
      part.chunks = []
      part.pieces = []
      return
    }
    if (!this.#host.take(size)) {
      this.#giveUp()
      return
    }
    this.held += size
    part.chunks.push(bytes)
    const at = this.#elapsed()
    // What arrives within one millisecond is one piece.
    if (part.pieces.at(-1) === at) part.pieces[part.pieces.length - 2] = part.bytes
    else part.pieces.push(part.bytes, at)
  }

  /** A frame of a session, followed by a line feed; without room only its size is recorded, and the session continues. */
  addFrame(part: NotedPart, frame: Uint8Array | string): void {
    if (this.isGivenUp) return
    part.frames = true
    const size = Buffer.byteLength(frame) + 1
    const most = size > largeFrame ? mostSoundBytes : mostFrameBytes
    const isPlace = part.pieces.length < 2 * mostFrames
    if (isPlace && part.bytes + size <= most && this.#host.take(size, true)) {
      this.held += size
      part.bytes += size
      part.chunks.push(typeof frame === 'string' ? frame : frame.slice(), '\n')
    } else part.leftBytes = (part.leftBytes ?? 0) + size - 1
    if (isPlace) part.pieces.push(part.bytes, this.#frameMs())
  }

  /** The time of a frame: later than that of every earlier frame in either direction, so that both can be merged in order. */
  #frameMs(): number {
    this.#lastFrameUs = Math.max(Math.round((this.#host.now() - this.#beganAt) * 1000), this.#lastFrameUs + 1)
    return this.#lastFrameUs / 1000
  }

  #giveUp(): void {
    this.isGivenUp = true
    this.#release(this.held)
    this.parts.length = 0
    this.#answer = undefined
  }

  #release(bytes: number): void {
    this.#host.give(bytes)
    this.held -= bytes
  }
}
