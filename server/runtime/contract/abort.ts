/**
 * Cheap abort signals. Every request has several, and a native one costs two microseconds once it has a listener; these cost a tenth of
 * that.
 */

/** What is called when a signal is aborted: a function, or the `handleEvent` of an object. It must not throw. */
export type AbortListener = (() => void) | { handleEvent(): void }

/** The part of AbortSignal that Parley uses. Every AbortSignal is one. */
export interface AbortSignalLike {
  readonly aborted: boolean
  readonly reason: unknown
  throwIfAborted(): void
  addEventListener(type: 'abort', listener: AbortListener, options?: { once?: boolean }): void
  removeEventListener(type: 'abort', listener: AbortListener): void
}

/** Controller and signal in one. Pass it as an `AbortSignalLike` to code that may only listen. */
export class Abort implements AbortSignalLike {
  aborted = false
  reason: unknown
  // In the order in which they were added, without gaps. Few signals have more than two, and a list would cost more than everything else
  // here.
  #first: AbortListener | undefined
  #second: AbortListener | undefined
  #others: AbortListener[] | undefined

  /** Calls every listener, in the order in which they were added. Later calls do nothing. */
  abort(reason: unknown): void {
    if (this.aborted) return
    this.aborted = true
    this.reason = reason
    const listeners = [this.#first, this.#second, ...(this.#others ?? [])]
    this.#first = this.#second = this.#others = undefined
    for (const listener of listeners) {
      if (typeof listener === 'function') listener()
      else listener?.handleEvent()
    }
  }

  throwIfAborted(): void {
    if (this.aborted) throw this.reason
  }

  /** The listener is called once, on abort; never if it is already aborted. The same listener is not added twice. */
  addEventListener(_type: 'abort', listener: AbortListener): void {
    if (this.aborted || this.#first === listener || this.#second === listener) return
    if (this.#first === undefined) this.#first = listener
    else if (this.#second === undefined) this.#second = listener
    else if (this.#others === undefined) this.#others = [listener]
    else if (!this.#others.includes(listener)) this.#others.push(listener)
  }

  /** A listener that is removed during an abort is still called. */
  removeEventListener(_type: 'abort', listener: AbortListener): void {
    if (this.#first === listener) {
      this.#first = this.#second
      this.#second = this.#others?.shift()
    } else if (this.#second === listener) {
      this.#second = this.#others?.shift()
    } else if (this.#others !== undefined) {
      const at = this.#others.indexOf(listener)
      if (at >= 0) this.#others.splice(at, 1)
    }
  }
}

/** A native signal that is aborted with the first of these. */
export const abortedWithAny = (...signals: AbortSignalLike[]): AbortSignal => AbortSignal.any(signals.map(nativeSignal))

/** A native signal that is aborted with this one, for interfaces that take no other. */
export function nativeSignal(signal: AbortSignalLike): AbortSignal {
  if (signal instanceof AbortSignal) return signal
  const controller = new AbortController()
  if (signal.aborted) controller.abort(signal.reason)
  else signal.addEventListener('abort', () => controller.abort(signal.reason), { once: true })
  return controller.signal
}
