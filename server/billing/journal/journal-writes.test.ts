import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '#runtime/clock'
import { createLog } from '#runtime/log'
import { makeSegment } from '#runtime/segment'
import { usageRow } from '#testing/usage-row'
import { openJournal } from './journal.ts'
import { encodeLine, readLines } from './journal-line.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-test-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const line = (requestId: string) => ({ row: usageRow({ requestId, cost: 1n }), accounts: ['u'], owed: 1n, covered: 1n })
const names = (count: number) => Array.from({ length: count }, (_, n) => `r${n}`)

/** A journal on a disk that counts its writes, and refuses them on demand. */
async function observed(maxBytes = 1024 * 1024) {
  const disk = { writes: 0, refuses: false }
  const createSegment: typeof makeSegment = async (...args) => {
    if (disk.refuses) throw Object.assign(new Error('input/output error'), { code: 'EIO' })
    const segment = await makeSegment(...args)
    const write = (at: number, bytes: Uint8Array) => {
      disk.writes += 1
      if (disk.refuses) throw Object.assign(new Error('input/output error'), { code: 'EIO' })
      segment.write(at, bytes)
    }
    return { ...segment, write }
  }
  const journal = await openJournal({
    folder: join(folder, 'journal'),
    instance: 7n,
    fsync: 'never',
    maxBytes,
    clock: systemClock,
    log: createLog('silent'),
    createSegment,
  })
  disk.writes = 0
  return { journal, disk }
}

/** What the files say, `o a` for the line that opens a, in order. */
async function said(): Promise<string[]> {
  const files = (await readdir(join(folder, 'journal'))).sort()
  // A file may be removed meanwhile, once the database has all of it.
  const contents = await Promise.all(files.map((name) => readFile(join(folder, 'journal', name)).catch(() => new Uint8Array())))
  const found = contents.map((bytes) => [...readLines(bytes)])
  return found.flat().flatMap((each) => (each === undefined ? ['torn'] : 'id' in each ? [`${each.kind} ${each.id}`] : []))
}

describe('lines that come in step', () => {
  test('share a write, and are there when whoever wrote them goes on', async () => {
    const { journal, disk } = await observed()
    const ids = names(16)
    const opening = ids.map(async (id) => {
      await Promise.resolve()
      journal.open(id, ['u'], 1n)
      return { isWritten: await journal.written(), writes: disk.writes }
    })
    expect(await Promise.all(opening)).toEqual(ids.map(() => ({ isWritten: true, writes: 1 })))
    const streaming = ids.map(async (id) => {
      await Promise.resolve()
      journal.grow(id, 1n)
      journal.progress(line(id))
      await Promise.resolve()
      return disk.writes
    })
    expect(await Promise.all(streaming)).toEqual(ids.map(() => 2))
    for (const id of ids) journal.settle(line(id))
    await journal.safe()
    expect(disk.writes).toBe(3)
    const sofar = ids.flatMap((id) => [`g ${id}`, `p ${id}`])
    expect(await said()).toEqual([...ids.map((id) => `o ${id}`), ...sofar, ...ids.map((id) => `s ${id}`)])
    await journal.close(true)
  })

  test('keep their order with lines that are written at once', async () => {
    const { journal, disk } = await observed()
    journal.open('a', ['u'], 1n)
    journal.open('b', ['u'], 1n)
    journal.grow('a', 1n)
    expect([journal.flush(), disk.writes]).toEqual([true, 1])
    journal.settle(line('a'))
    expect(journal.record(line('refused'))).toBe(true)
    expect(disk.writes).toBe(2)
    journal.settle(line('b'))
    await journal.close(true)
    expect(await said()).toEqual(['o a', 'o b', 'g a', 's a', 's refused', 's b'])
  })

  test('go into the next file where this one is full', async () => {
    const { journal, disk } = await observed(64 * 1024)
    const settled: string[] = []
    // Room for the next file is made meanwhile.
    for (let round = 0; round < 60; round++) {
      const ids = names(2).map((id) => `${id} of ${round}`)
      for (const id of ids) journal.open(id, ['u'], 1n)
      for (const id of ids) journal.settle(line(id))
      settled.push(...ids)
      await journal.safe()
      await systemClock.sleep(2)
      const there = await said()
      for (const id of ids) expect(there.filter((each) => each.endsWith(id))).toEqual([`o ${id}`, `s ${id}`])
      for (const id of ids) journal.flushed(id)
    }
    expect(disk.writes).toBeLessThan(90)
    await journal.close(true)
  })

  test('are all refused by a disk that refuses their write, and what comes later is read', async () => {
    const { journal, disk } = await observed()
    journal.open('before', ['u'], 1n)
    expect(await journal.written()).toBe(true)
    disk.refuses = true
    for (const id of ['a', 'b']) journal.open(id, ['u'], 1n)
    expect(await Promise.all([journal.written(), journal.written()])).toEqual([false, false])
    expect(journal.hasRoom()).toBe(false)
    expect(() => journal.open('c', ['u'], 1n)).toThrow('Too many charges')
    for (const id of ['a', 'b']) {
      journal.drop(id)
      journal.flushed(id)
    }
    disk.refuses = false
    journal.settle(line('before'))
    await journal.safe()
    expect(await said()).toEqual(['o before', 's before'])
    journal.flushed('before')
    expect(journal.hasRoom()).toBe(true)
    journal.open('after', ['u'], 1n)
    expect(await journal.written()).toBe(true)
    await journal.close(true)
    expect(await said()).toEqual(['o before', 's before', 'o after'])
  })

  test('leave the line before where it is needed, until they are written', async () => {
    const { journal, disk } = await observed(64 * 1024)
    for (const id of ['a', 'b', 'c']) journal.open(id, ['u'], 1n)
    journal.progress(line('a'))
    const used = async () => (await readFile(join(folder, 'journal', '000001.log'))).indexOf(0)
    const size = encodeLine({ kind: 's', id: 'a', line: line('a') }).length
    // The first file is filled until it has no room for this end.
    for (let n = 0; 16 * 1024 - (await used()) >= size; n++) {
      journal.open(`fill ${n}`, ['u'], 1n)
      journal.drop(`fill ${n}`)
      await journal.written()
      journal.flushed(`fill ${n}`)
      await systemClock.sleep(1)
    }
    disk.refuses = true
    journal.settle(line('a'))
    await journal.safe()
    expect(journal.hasRoom()).toBe(false)
    disk.refuses = false
    // Others write on, and want the room.
    for (let n = 0; n < 300; n++) {
      for (const id of ['b', 'c']) journal.progress(line(id))
      journal.hasRoom()
      await systemClock.sleep(1)
    }
    expect((await said()).filter((each) => each.endsWith(' a'))).toContain('p a')
    await journal.close(true)
  })
})

test('a request that is opened again while its end waits takes no room twice', async () => {
  const { journal } = await observed(64 * 1024)
  for (let round = 0; round < 600; round++) {
    for (let tries = 0; tries < 500 && !journal.hasRoom(); tries++) await systemClock.sleep(1)
    for (let again = 0; again < 2; again++) {
      journal.open('same', ['u'], 1n)
      journal.settle(line('same'))
      await journal.safe()
    }
    journal.flushed('same')
  }
  expect(journal.waitingShare()).toBe(0)
  expect(journal.hasRoom()).toBe(true)
  await journal.close(false)
})
