import { describe, expect, test } from 'bun:test'
import { handClock } from '#testing/hand-clock'
import { systemClock } from './clock.ts'
import { outgoingBody, type Source } from './outgoing-body.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

function listSource(pieces: string[]): Source & { pulled: number; closed: number } {
  return {
    pulled: 0,
    closed: 0,
    async next() {
      const piece = pieces[this.pulled++]
      return piece === undefined ? undefined : bytes(piece)
    },
    close() {
      this.closed += 1
    },
  }
}

describe('outgoingBody', () => {
  test('gives every piece once and in order', async () => {
    const pieces = Array.from({ length: 500 }, (_, index) => `${index};`)
    expect(await new Response(outgoingBody(listSource(pieces), systemClock)).text()).toBe(pieces.join(''))
  })

  test('pulls only what the reader takes', async () => {
    const source = listSource(['a', 'b', 'c', 'd'])
    const reader = outgoingBody(source, systemClock).getReader()
    await reader.read()
    await systemClock.sleep(20)
    expect(source.pulled).toBeLessThan(3)
    await reader.cancel()
  })

  test('what is there already is given before anything is pulled, and told of like the rest', async () => {
    const passed: unknown[] = []
    const source = { ...listSource(['b', 'c']), ready: () => bytes('a'), passed: (piece: unknown) => passed.push(piece) }
    const reader = outgoingBody(source, systemClock).getReader()
    expect(passed).toEqual([bytes('a')])
    expect((await reader.read()).value).toEqual(bytes('a'))
    expect((await reader.read()).value).toEqual(bytes('b'))
    expect(source.pulled).toBe(1)
    await reader.cancel()
  })

  test('closes the source when the reader leaves, and asks it for nothing more', async () => {
    const source = listSource(['a', 'b'])
    const reader = outgoingBody(source, systemClock).getReader()
    await reader.read()
    await reader.cancel()
    const pulled = source.pulled
    await systemClock.sleep(20)
    expect(source.closed).toBe(1)
    expect(source.pulled).toBe(pulled)
  })

  test('tells whose turn it is: ours while the source is silent, the reader’s if it does not come for more, and at the end', async () => {
    const turns: string[] = []
    const idleGuard = { suspendIdleLimit: () => void turns.push('ours'), limitIdle: () => void turns.push('yours') }
    const clock = handClock()
    const reader = outgoingBody(listSource(['a', 'b', 'c', 'd']), clock, undefined, idleGuard).getReader()
    expect(turns).toEqual([])
    for (const _ of ['a', 'b', 'c']) await reader.read()
    expect(turns).toEqual(['ours'])
    await clock.advance(2_000)
    expect(turns).toEqual(['ours', 'yours'])
    await reader.read()
    expect(turns).toEqual(['ours', 'yours', 'ours'])
    await reader.read()
    expect(turns).toEqual(['ours', 'yours', 'ours', 'yours'])
    expect(clock.pending()).toBe(0)
  })

  test('beats while the source is silent, and never between a piece and the next', async () => {
    let round = 0
    const source: Source = {
      async next() {
        round += 1
        if (round === 1) return bytes('first;')
        if (round === 2) {
          await systemClock.sleep(130)
          return bytes('second;')
        }
        return undefined
      },
      close() {},
    }
    const text = await new Response(outgoingBody(source, systemClock, { bytes: bytes('*'), everyMs: 40 })).text()
    expect(text).toMatch(/^first;\*{1,3}second;$/)
  })

  test('does not pile heartbeats up for a reader that takes nothing', async () => {
    const source: Source = { next: () => new Promise(() => undefined), close() {} }
    const reader = outgoingBody(source, systemClock, { bytes: bytes('*'), everyMs: 10 }).getReader()
    await systemClock.sleep(100)
    const first = await reader.read()
    expect(first.value?.byteLength).toBe(1)
    const next = await Promise.race([reader.read().then(() => 'beat'), systemClock.sleep(3).then(() => 'quiet')])
    expect(next).toBe('quiet')
    await reader.cancel()
  })
})
