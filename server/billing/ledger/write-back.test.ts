import { expect, test } from 'bun:test'
import type { EncodedLine } from '#billing/journal/encoded-line'
import { createLog } from '#runtime/log'
import { createBackWriter, type WriteBackTarget } from './write-back.ts'

const lineOf = (n: number): EncodedLine => ({ id: `r${n}`, at: n, accounts: [], owed: 0n, covered: 0n, bytes: new Uint8Array() })
const lines = (count: number) => Array.from({ length: count }, (_, n) => lineOf(n))
const answer = { accounts: new Map(), live: 1, refused: new Map(), short: new Map() }
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** A database that has the even ones, and whose writes end when the test says so. */
function target() {
  const events: string[] = []
  const writes: PromiseWithResolvers<typeof answer>[] = []
  const database: WriteBackTarget = {
    async missing(some) {
      events.push(`asked ${some.map(({ at }) => at)}`)
      return new Set(some.filter(({ at }) => at % 2 === 1).map(({ id }) => id))
    },
    write(some) {
      events.push(`written ${some.map(({ at }) => at)}`)
      const write = Promise.withResolvers<typeof answer>()
      writes.push(write)
      return write.promise
    },
  }
  return { events, writes, database }
}

test('only what is missing is written, one batch at a time, and the next is compared meanwhile', async () => {
  const { events, writes, database } = target()
  const writer = createBackWriter(database, createLog('silent'), 4)
  const added = writer.add(lines(12))
  await turn()
  expect(events).toEqual(['asked 0,1,2,3', 'written 1,3', 'asked 4,5,6,7'])
  writes[0]?.resolve(answer)
  await turn()
  expect(events.slice(3)).toEqual(['written 5,7', 'asked 8,9,10,11'])
  writes[1]?.resolve(answer)
  await added
  writes[2]?.resolve(answer)
  expect(await writer.end()).toEqual({ lines: 6, complete: true })
})

test('a failed write is reported to the next caller that adds lines, and at the end', async () => {
  const { writes, database } = target()
  const writer = createBackWriter(database, createLog('silent'), 4)
  await writer.add(lines(4))
  writes[0]?.reject(new Error('gone'))
  await expect(writer.add(lines(4))).rejects.toThrow('gone')
  await expect(writer.end()).rejects.toThrow('gone')
})
