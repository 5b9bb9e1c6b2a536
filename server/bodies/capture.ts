/**
 * One request as it passes, at its four borders. It only notes what is there: bytes are not copied, and nothing waits for it. What it notes
 * counts against the room of all captures together; a request for which there is no room left is given up and counted.
 */
import type { Source } from '#runtime/outgoing-body'
import type { End } from '#shared/ids'
import type { UpstreamRequest } from '#upstream/upstream'
import type { Addressee, NotedPart } from './noted-part.ts'
import type { RecordFacts } from './record.ts'

/** Bytes of one body: of a larger one only its head is kept. */
export const mostBodyBytes = 16 * 1024 * 1024
/** Bytes and frames of one direction of a session at one border, and the bytes of it beyond which large frames (sound) find no room. */
const mostFrameBytes = 1024 * 1024
const mostFrames = 20_000
const mostSoundBytes = (mostFrameBytes / 4) * 3
const largeFrame = 4096

/** What a capture needs of those who made it. */
export interface CaptureHost {
  /** Milliseconds that never go back. */
  now(): number
  /** Takes room for so many bytes; false when there is none. Frames of sessions, which last for hours, leave half of the room to others. */
  take(bytes: number, isFrame?: boolean): boolean
  /** Gives room back. */
  give(bytes: number): void
  /** The request is over and its answer is out. */
  finished(capture: Capture): void
}

/** Whose body it is. */
export type Owner = Pick<RecordFacts, 'userId' | 'memberId' | 'keyId'>

/** A request that may be kept. Every method is cheap and never throws on its own. */
export class Capture {
  readonly facts: RecordFacts
  /** The value of the header `x-parley-stored`; undefined: the request forbids it to be kept. */
  label: string | undefined
  /** Whether `store: false` in the body of the request forbids it to be kept. */
  readonly heedsStore: boolean
  /** Kept only if it fails. */
  readonly onlyFailed: boolean
  readonly parts: NotedPart[] = []
  /** Bytes of room it has. */
  held = 0
  /** There was no room for it. */
  isGivenUp = false
  /** How it ended; undefined: it has not. */
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

  /** A piece of the body of the client's request. Its bytes are copied where they will be handed away. */
  askedWith(bytes: Uint8Array, isHandedAway = false): void {
    const [part] = this.parts
    if (part) this.add(part, isHandedAway ? bytes.slice() : bytes)
  }

  /** A frame of the client. */
  askedFrame(frame: Uint8Array | string): void {
    const [part] = this.parts
    if (part) this.addFrame(part, frame)
  }

  /** The request says that it must not be kept: what was noted is given up, and nothing more is. */
  forbid(): void {
    this.label = undefined
    this.#giveUp()
  }

  /** Begins the next call of an upstream, before its body. */
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

  /** Nothing more of the answer goes out; `broken`: why it ended before its end. */
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

  /** The same answer; what leaves is noted. */
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

  /** Begins a body, at this moment. */
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
    // What comes within one millisecond is one piece.
    if (part.pieces.at(-1) === at) part.pieces[part.pieces.length - 2] = part.bytes
    else part.pieces.push(part.bytes, at)
  }

  /** A frame of a session, with a line feed behind it; where there is no room for it its size alone, and the session goes on. */
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

  /** The moment of a frame: later than that of every frame before it, in either direction, so that both can be put in one order. */
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
