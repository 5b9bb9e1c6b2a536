import { describe, expect, test } from 'bun:test'
import { GatewayError } from '#shared/errors'
import { createReportQueue } from './report-queue.ts'

describe('reports', () => {
  test('run one at a time, in their order, also after one that failed', async () => {
    const queue = createReportQueue()
    const seen: string[] = []
    let running = 0
    const report = (name: string) => () => {
      seen.push(`${name} ${++running}`)
      return Promise.resolve().then(() => {
        running -= 1
        if (name === 'b') throw new Error(name)
        return name
      })
    }
    const all = ['a', 'b', 'c'].map((name) => queue.run(report(name)))
    expect((await Promise.allSettled(all)).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(seen).toEqual(['a 1', 'b 1', 'c 1'])
  })

  test('are refused when too many wait, and do not run for a caller that disconnected', async () => {
    const queue = createReportQueue(20)
    const over = Promise.withResolvers<void>()
    const first = queue.run(() => over.promise)
    const left = new AbortController()
    let ran = 0
    const count = async () => {
      ran += 1
    }
    const waiting = Array.from({ length: 20 }, (_, n) => queue.run(count, n < 5 ? left.signal : undefined).catch(() => 'left'))
    const refused = await queue.run(count).catch((thrown: unknown) => thrown)
    expect(refused).toBeInstanceOf(GatewayError)
    expect((refused as GatewayError).code).toBe('overloaded')
    left.abort()
    // The places of those who left are free at once.
    const next = queue.run(count)
    over.resolve()
    await Promise.all([first, next])
    expect((await Promise.all(waiting)).filter((one) => one === 'left')).toHaveLength(5)
    expect(ran).toBe(16)
  })
})
