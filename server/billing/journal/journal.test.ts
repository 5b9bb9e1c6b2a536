import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Clock, systemClock } from '#runtime/clock'
import { createLog } from '#runtime/log'
import { makeSegment } from '#runtime/segment'
import { GatewayError } from '#shared/errors'
import type { BookLine } from '#store/ledger/book-line'
import { type HandClock, handClock } from '#testing/hand-clock'
import type { Fsync, Journal } from './contract.ts'
import { openJournal } from './journal.ts'
import { bytesPerRequest, keepMs, openJournalFiles } from './journal-files.ts'
import { encodeLine, type JournalLine, readLines } from './journal-line.ts'

const line = (requestId: string, owed: bigint): BookLine => ({
  row: {
    requestId,
    at: new Date(1_700_000_000_123),
    userId: 'u',
    group: 'g',
    model: 'm é\n',
    operation: 'generate',
    dialect: 'chat',
    stream: true,
    status: 200,
    end: 'complete',
    cost: owed,
    usage: JSON.parse('{"raw":{"at":"2020","cost":"12"}}'),
    losses: [],
    totalMs: 5,
    attempts: [],
  },
  accounts: ['u', 'budget:key:k:total:'],
  owed,
  covered: owed,
})

const amountsAsText = (_: string, value: unknown) => (typeof value === 'bigint' ? value.toString() : value)

function decodeLines(bytes: Uint8Array): { lines: JournalLine[]; bad: number } {
  const found = [...readLines(bytes)]
  const lines = found.filter((each) => each !== undefined)
  return { lines, bad: found.length - lines.length }
}

let folder: string
beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'parley-test-')), 'journal')
})
afterEach(() => rm(join(folder, '..'), { recursive: true, force: true }))

const open = (fsync: Fsync = 'never', maxBytes = 64 * 1024, clock: Clock = systemClock) =>
  openJournal({ folder, instance: 7n, fsync, maxBytes, clock, log: createLog('silent') })

async function written(): Promise<JournalLine[]> {
  const names = (await readdir(folder)).sort()
  const files = await Promise.all(names.map((name) => readFile(join(folder, name))))
  return files.flatMap((bytes) => decodeLines(bytes).lines)
}

function isFull(work: () => void): boolean {
  try {
    work()
    return false
  } catch (thrown) {
    return thrown instanceof GatewayError && thrown.code === 'journal_full'
  }
}

describe('lines', () => {
  test('come back as they were written', () => {
    const lines: JournalLine[] = [
      { kind: 'v', version: 1, instance: 3n },
      { kind: 'o', id: 'a', accounts: ['u', 'b'], amount: 9_007_199_254_740_993n },
      { kind: 'g', id: 'a', amount: 1n },
      { kind: 'p', id: 'a', line: line('a', 5n) },
      { kind: 's', id: 'a', line: line('a', 7n) },
      { kind: 's', id: 'b', line: { row: line('b', 0n).row, accounts: [], owed: 0n, covered: 0n } },
    ]
    const bytes = Buffer.concat([...lines.map(encodeLine), new Uint8Array(100)])
    expect(decodeLines(bytes)).toEqual({ lines, bad: 0 })
  })

  test('of the first version say who pays in another way', () => {
    const { accounts: _, ...first } = line('a', 5n)
    const opened = { kind: 'o', id: 'a', wallet: 'u', amount: 10n }
    const settled = { kind: 's', id: 'a', line: { ...first, wallet: 'u' } }
    const recorded = { kind: 's', id: 'b', line: first }
    const bytes = Buffer.concat([opened, settled, recorded].map((each) => encodeLine(JSON.parse(JSON.stringify(each, amountsAsText)))))
    expect(decodeLines(bytes)).toEqual({
      lines: [
        { kind: 'o', id: 'a', accounts: ['u'], amount: 10n },
        { kind: 's', id: 'a', line: { ...first, accounts: ['u'] } },
        { kind: 's', id: 'b', line: { ...first, accounts: [] } },
      ],
      bad: 0,
    })
  })

  test('a line cut anywhere, or with any byte changed, is counted and the others stand', () => {
    const [one, two] = [encodeLine({ kind: 'g', id: 'a', amount: 1n }), encodeLine({ kind: 'g', id: 'b', amount: 2n })]
    for (let cut = 1; cut < two.length - 1; cut++) {
      const torn = Buffer.concat([one, two.subarray(0, cut), new Uint8Array(50)])
      expect(decodeLines(torn)).toEqual({ lines: [{ kind: 'g', id: 'a', amount: 1n }], bad: 1 })
    }
    for (let at = 0; at < one.length - 1; at++) {
      const changed = Buffer.concat([one, two])
      changed[at] = (changed[at] ?? 0) ^ 1
      const { lines, bad } = decodeLines(changed)
      expect(lines).toEqual([{ kind: 'g', id: 'b', amount: 2n }])
      expect(bad).toBeGreaterThan(0)
    }
  })
})

describe('the journal', () => {
  test('holds every line from the moment it is noted, in order', async () => {
    const journal = await open()
    journal.open('a', ['u'], 10n)
    journal.grow('a', 5n)
    journal.progress(line('a', 3n))
    journal.settle(line('a', 12n))
    expect((await written()).map(({ kind }) => kind)).toEqual(['v', 'o', 'g', 'p', 's', 'v'])
    await journal.close(true)
    expect(await written()).toContainEqual({ kind: 's', id: 'a', line: line('a', 12n) })
  })

  test('lets in what it has room for, keeps room for every end, and goes on when the database has caught up', async () => {
    const journal = await open()
    const ids: string[] = []
    while (ids.length < 10_000 && !isFull(() => journal.open(`r${ids.length}`, ['u'], 1n))) {
      ids.push(`r${ids.length}`)
      await systemClock.sleep(0)
    }
    expect(ids.length).toBeGreaterThan(2)
    expect(ids.length).toBeLessThan((64 * 1024) / bytesPerRequest)
    for (const id of ids) journal.settle(line(id, 1n))
    expect((await written()).filter(({ kind }) => kind === 's')).toHaveLength(ids.length)
    for (const id of ids) journal.flushed(id)
    expect(isFull(() => journal.open('again', ['u'], 1n))).toBe(false)
    await journal.close(false)
  })

  test('has room for the end of every request that it let in, however much the upstream said', async () => {
    const journal = await open('never', 256 * 1024)
    let count = 0
    for (let tries = 0; tries < 400 && count < 200; tries++) {
      if (!isFull(() => journal.open(`r${count}`, ['u'], 1n))) count += 1
      await systemClock.sleep(1)
    }
    for (let n = 0; n < count; n++) {
      const end = line(`r${n}`, 1n)
      end.row.usage = JSON.parse(JSON.stringify({ input: 1, raw: { said: '字'.repeat(4000) } }))
      journal.settle(end)
    }
    const ends = (await written()).flatMap((each) => (each.kind === 's' ? [each] : []))
    expect(ends).toHaveLength(count)
    const inFull = ends.filter(({ line: { row } }) => row.usage?.raw !== undefined)
    expect(inFull.length).toBeGreaterThan(0)
    expect(inFull.length).toBeLessThan(count)
    for (const { line } of ends) expect(line).toMatchObject({ owed: 1n, row: { usage: { input: 1 } } })
    await journal.close(false)
  })

  test('leaves nothing behind if nothing was noted, else the lines without the unused room', async () => {
    const idle = await open()
    await idle.close(false)
    expect(await readdir(join(folder, '..'))).toEqual([])
    const journal = await open()
    journal.open('a', ['u'], 1n)
    journal.settle(line('a', 1n))
    journal.flushed('a')
    await journal.close(false)
    const names = await readdir(folder)
    expect(names).toHaveLength(1)
    expect((await readFile(join(folder, names[0] ?? ''))).indexOf(0)).toBe(-1)
    expect((await written()).map(({ kind }) => kind)).toEqual(['v', 'o', 's'])
  })

  test('closes although its folder was removed by a process that took it over', async () => {
    const journal = await open()
    journal.open('a', ['u'], 1n)
    journal.flush()
    await rm(folder, { recursive: true })
    await journal.close(true)
    expect(await readdir(join(folder, '..'))).toEqual([])
  })

  test('has room for as many at once as its bound allows, not only for those of two files', async () => {
    const maxBytes = 1024 * 1024
    const journal = await open('never', maxBytes)
    let count = 0
    for (let tries = 0; tries < 400 && count < 240; tries++) {
      if (!isFull(() => journal.open(`r${count}`, ['u'], 1n))) count += 1
      await systemClock.sleep(1)
    }
    expect(count).toBeGreaterThan((maxBytes / bytesPerRequest) * 0.9)
    for (let n = 0; n < count; n++) journal.settle(line(`r${n}`, 1n))
    expect((await written()).filter(({ kind }) => kind === 's')).toHaveLength(count)
    await journal.close(false)
  })

  test('never holds more than it may, and the files of what was written go', async () => {
    const journal = await open()
    let most = 0
    for (let round = 0; round < 400; round++) {
      for (let tries = 0; tries < 200 && isFull(() => journal.open(`r${round}`, ['u'], 1n)); tries++) await systemClock.sleep(1)
      journal.settle(line(`r${round}`, 1n))
      if (round > 0) journal.flushed(`r${round - 1}`)
      if (round % 20 === 0) {
        await systemClock.sleep(1)
        most = Math.max(most, (await readdir(folder)).length)
      }
    }
    expect(most).toBeLessThanOrEqual(4)
    await systemClock.sleep(20)
    expect((await written()).filter(({ kind }) => kind === 's').length).toBeLessThan(100)
    await journal.close(true)
  })

  /** Requests that come, end and are flushed, each some milliseconds after the other. */
  async function pass(journal: Journal, ids: readonly string[], clock?: HandClock): Promise<void> {
    for (const id of ids) {
      for (let tries = 0; tries < 200 && isFull(() => journal.open(id, ['u'], 1n)); tries++) await systemClock.sleep(1)
      journal.settle(line(id, 1n))
      journal.flushed(id)
      await clock?.advance(1)
    }
  }
  async function kept(journal: Journal): Promise<string[]> {
    const ids: string[] = []
    for await (const lines of journal.kept()) ids.push(...lines.map(({ row }) => row.requestId))
    return ids
  }
  const named = (count: number, name: string) => Array.from({ length: count }, (_, n) => `${name}${n}`)

  test('keeps what the database has for an hour, without what it still waits for', async () => {
    const hand = handClock()
    const journal = await open('never', 1024 * 1024, hand)
    const first = named(600, 'a')
    /** What is kept once files have been removed; that takes a moment. */
    const fewerThan = async (count: number) => {
      for (const until = performance.now() + 5_000; performance.now() < until; await systemClock.sleep(10)) {
        const left = await kept(journal)
        if (left.length < count) return left
      }
      throw new Error(`${count} are still kept`)
    }
    await pass(journal, first, hand)
    journal.open('open', ['u'], 1n)
    journal.record(line('due', 0n))
    expect(await kept(journal)).toEqual(first)
    journal.settle(line('open', 1n))
    for (const id of ['open', 'due']) journal.flushed(id)
    await hand.advance(keepMs / 2)
    const second = named(600, 'b')
    await pass(journal, second, hand)
    expect(await kept(journal)).toEqual([...first, 'due', 'open', ...second])
    await hand.advance(keepMs / 2)
    const left = await fewerThan(first.length + 2 + second.length)
    // What lies in one file goes together.
    expect(left.slice(-second.length)).toEqual(second)
    await hand.advance(keepMs)
    await fewerThan(second.length)
    await journal.close(true)
    expect(hand.pending()).toBe(0)
  })

  test('a request finds room as long as something is only kept', async () => {
    const journal = await open('never', 128 * 1024)
    const ids = named(2000, 'r')
    await pass(journal, ids)
    const names = await readdir(folder)
    expect(names.length).toBeLessThanOrEqual(4)
    const left = await kept(journal)
    expect(left.length).toBeGreaterThan(50)
    expect(left).toEqual(ids.slice(-left.length))
    await journal.close(false)
  })

  test('a request that stays open keeps its line, whatever comes and goes around it', async () => {
    const journal = await open()
    journal.open('long', ['u'], 1n)
    for (let round = 0; round < 200; round++) {
      for (let tries = 0; tries < 200 && isFull(() => journal.open(`r${round}`, ['u'], 1n)); tries++) await systemClock.sleep(1)
      if (round === 100) journal.progress(line('long', 1n))
      journal.settle(line(`r${round}`, 1n))
      journal.flushed(`r${round}`)
    }
    await systemClock.sleep(20)
    const last = (await written()).filter((entry) => 'id' in entry && entry.id === 'long').at(-1)
    expect(last?.kind).toBe('p')
    await journal.close(true)
  })

  test.each<Fsync>(['never', '100ms', 'always'])('is safe when asked, with fsync %s, under load', async (fsync) => {
    const journal = await open(fsync, 8 * 1024 * 1024)
    const all = Array.from({ length: 100 }, async (_, n) => {
      journal.open(`r${n}`, ['u'], 1n)
      journal.settle(line(`r${n}`, 1n))
      await journal.safe()
      journal.flushed(`r${n}`)
    })
    await Promise.all(all)
    if (fsync === '100ms') await systemClock.sleep(150)
    await journal.close(false)
  })

  test('a disk that refuses lets nothing new in until the database has everything', async () => {
    const journal = await open()
    journal.open('a', ['u'], 1n)
    const tooLong = line('a', 1n)
    tooLong.row.model = 'x'.repeat(40_000)
    journal.settle(tooLong)
    expect(isFull(() => journal.open('b', ['u'], 1n))).toBe(true)
    journal.flushed('a')
    let again = false
    for (let tries = 0; tries < 200 && !again; tries++) {
      again = !isFull(() => journal.open('b', ['u'], 1n))
      await systemClock.sleep(1)
    }
    expect(again).toBe(true)
    await journal.close(false)
  })

  test('refusals never take the room of those that pay', async () => {
    const journal = await open('never', 1024 * 1024)
    let recorded = 0
    while (recorded < 100_000 && journal.record(line(`refused ${recorded}`, 0n))) {
      recorded += 1
      if (recorded % 20 === 0) await systemClock.sleep(1)
    }
    expect(recorded).toBeGreaterThan(20)
    expect(isFull(() => journal.open('paid', ['u'], 1n))).toBe(false)
    for (let n = 0; n < recorded; n++) journal.flushed(`refused ${n}`)
    expect(journal.record(line('again', 0n))).toBe(true)
    await journal.close(false)
  })

  test('a disk that is full gets the room of what the database has', async () => {
    let room = 6
    const createSegment: typeof makeSegment = async (...args) => {
      if (room === 0) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
      room -= 1
      const segment = await makeSegment(...args)
      const remove = async () => {
        await segment.remove()
        room += 1
      }
      return { ...segment, remove }
    }
    const head = encodeLine({ kind: 'v', version: 2, instance: 7n })
    const errors: string[] = []
    const log = { ...createLog('silent'), error: (_: object, message: string) => void errors.push(message) }
    const options = { folder, head, maxBytes: 64 * 1024 * 1024, reserved: () => 0, clock: systemClock, log, createSegment }
    const files = await openJournalFiles(options)
    for (let file = 0; file < 40; file++) {
      files.current.left = 0
      files.current.used = files.current.segment.size
      files.prepare()
      for (let tries = 0; tries < 500 && !files.rotate(); tries++) await systemClock.sleep(1)
      files.prepare()
      for (let tries = 0; tries < 500 && files.spareRoom === 0; tries++) await systemClock.sleep(1)
      expect(files.spareRoom).toBeGreaterThan(0)
    }
    // The user is told that the disk is full.
    expect(new Set(errors)).toEqual(new Set(['the journal could not create its next file; one that the database already has is reused']))
    await files.close(false)
  }, 30_000)

  test('does not begin where it cannot write', async () => {
    await writeFile(folder, '')
    let refused = false
    try {
      await open()
    } catch {
      refused = true
    }
    expect(refused).toBe(true)
  })
})
