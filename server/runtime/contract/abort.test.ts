import { describe, expect, test } from 'bun:test'
import { Abort, abortedWithAny, nativeSignal } from './abort.ts'

describe('an abort', () => {
  test('calls each listener once, in order, functions and objects', () => {
    const abort = new Abort()
    const heard: string[] = []
    const first = () => heard.push('first')
    abort.addEventListener('abort', first)
    abort.addEventListener('abort', { handleEvent: () => heard.push('second') })
    abort.addEventListener('abort', first)
    abort.abort('why')
    abort.abort('again')
    expect(heard).toEqual(['first', 'second'])
    expect([abort.aborted, abort.reason]).toEqual([true, 'why'])
    expect(() => abort.throwIfAborted()).toThrow('why')
  })

  test('a listener that was removed or added too late is not called', () => {
    const abort = new Abort()
    let calls = 0
    const listener = () => {
      calls += 1
    }
    abort.addEventListener('abort', listener)
    abort.removeEventListener('abort', listener)
    abort.throwIfAborted()
    abort.abort(new Error('why'))
    abort.addEventListener('abort', listener)
    expect(calls).toBe(0)
  })

  test('a listener may remove itself and others while they are called', () => {
    const abort = new Abort()
    const heard: number[] = []
    const listeners = [1, 2, 3].map((n) => () => {
      heard.push(n)
      for (const one of listeners) abort.removeEventListener('abort', one)
    })
    for (const one of listeners) abort.addEventListener('abort', one)
    abort.abort(undefined)
    expect(heard).toEqual([1, 2, 3])
  })

  test('calls the remaining listeners in the order in which they were added', () => {
    for (let round = 0; round < 500; round++) {
      const abort = new Abort()
      const heard: number[] = []
      const all = Array.from({ length: 6 }, (_, n) => () => heard.push(n))
      const left: number[] = []
      for (let step = 0; step < 16; step++) {
        // Any sequence will do, as long as every round has a different one.
        const n = (round * 7 + step * step * (round % 11) + step * 5) % 6
        const listener = all[n] ?? all[0]
        if (listener === undefined) throw new Error('no listener')
        const at = left.indexOf(n)
        if ((round + step * 3) % 5 < 3) {
          abort.addEventListener('abort', listener)
          if (at < 0) left.push(n)
        } else {
          abort.removeEventListener('abort', listener)
          if (at >= 0) left.splice(at, 1)
        }
      }
      abort.abort(undefined)
      expect(heard).toEqual(left)
    }
  })
})

describe('a native signal', () => {
  test('is aborted with it, for its reason, also when that has happened before', () => {
    const before = new Abort()
    before.abort('before')
    expect(nativeSignal(before)).toMatchObject({ aborted: true, reason: 'before' })
    const later = new Abort()
    const signal = nativeSignal(later)
    expect(signal.aborted).toBe(false)
    later.abort('later')
    expect(signal).toMatchObject({ aborted: true, reason: 'later' })
    expect(nativeSignal(signal)).toBe(signal)
  })

  test('of several is aborted with the first', () => {
    const [a, b] = [new Abort(), new AbortController()]
    const signal = abortedWithAny(a, b.signal)
    a.abort('a')
    b.abort('b')
    expect(signal).toMatchObject({ aborted: true, reason: 'a' })
  })
})
