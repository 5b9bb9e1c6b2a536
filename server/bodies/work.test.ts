/** The files of kept bodies: cut at every byte, a full disk, other keys, and files written anew. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packed } from './lot.ts'
import { createBodyWork, type Lot } from './work.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-bodies-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const instance = 'a'.repeat(32)
const hour = Date.UTC(2026, 10, 23, 13)
const rules = { fields: [], numbers: false }

function lotOf(...bodies: [requestId: string, body: string, at?: number][]): Lot {
  const captures = bodies.map(([requestId, text, at = hour]) => {
    const body = Buffer.from(text)
    const part = { border: 'client-request' as const, headers: [], atMs: 0, bytes: body.length, pieces: [], chunks: [body] }
    return { facts: { requestId, at, userId: 'u', keyId: 'k' }, parts: [part] }
  })
  return { ...packed(captures), rules }
}
const files = () => readdirSync(folder).sort()

test('a file that is cut at any byte loses the records behind the cut and no other', () => {
  const work = createBodyWork(folder, instance)
  const { written } = work.keep(lotOf(['r1', 'one'], ['r2', 'two'], ['r3', 'three']))
  work.turn()
  const [name = ''] = files()
  const path = join(folder, name)
  const whole = readFileSync(path)
  for (let length = whole.length; length >= 0; length--) {
    truncateSync(path, length)
    for (const { requestId, key, ...span } of written) {
      const read = work.read(span, requestId, key)
      if (span.offset + span.length <= length) expect(read).toMatchObject({ requestId })
      else expect(read).toBe('unreadable')
    }
  }
})

test('a record does not open with a changed byte, another key or under another name', () => {
  const work = createBodyWork(folder, instance)
  const [one, two] = work.keep(lotOf(['r1', 'one'], ['r2', 'two'])).written
  if (!one || !two) throw new Error('nothing was written')
  expect(work.read(one, 'r1', one.key)).toMatchObject({ requestId: 'r1' })
  expect(work.read(one, 'r1', two.key)).toBe('unreadable')
  expect(work.read(one, 'r2', one.key)).toBe('unreadable')
  const path = join(folder, one.segment)
  const whole = readFileSync(path)
  for (let at = one.offset; at < one.offset + one.length; at++) {
    const changed = Buffer.from(whole)
    changed[at] = (changed[at] ?? 0) ^ 1
    writeFileSync(path, changed)
    expect(work.read(one, 'r1', one.key)).toBe('unreadable')
    expect(work.read(two, 'r2', two.key)).toMatchObject({ requestId: 'r2' })
  }
  expect(work.read({ ...one, segment: 'gone' }, 'r1', one.key)).toBe('absent')
})

test('a process that comes after another one writes a file of its own, whatever the other left half written', () => {
  const [first] = createBodyWork(folder, instance).keep(lotOf(['r1', 'one'])).written
  appendFileSync(join(folder, first?.segment ?? ''), 'half a rec')
  const after = createBodyWork(folder, instance)
  const [second] = after.keep(lotOf(['r2', 'two'])).written
  expect(first && after.read(first, 'r1', first.key)).toMatchObject({ requestId: 'r1' })
  expect(second && after.read(second, 'r2', second.key)).toMatchObject({ requestId: 'r2' })
  expect(files()).toEqual([`2026112313-${instance}-0001.bodies`, `2026112313-${instance}-0002.bodies`])
})

test('an hour has its file, for its owner only; nothing of a body or its key is in it', () => {
  const work = createBodyWork(folder, instance)
  const { written } = work.keep(lotOf(['r1', 'a word that is said'.repeat(20)], ['r2', 'later', hour + 3_600_000]))
  expect(files().map((name) => name.slice(0, 10))).toEqual(['2026112313', '2026112314'])
  expect(work.closed().map(({ name }) => name)).toEqual(files().slice(0, 1))
  for (const name of files()) {
    const bytes = readFileSync(join(folder, name))
    expect(bytes.includes('a word')).toBe(false)
    for (const { key } of written) expect(bytes.includes(Buffer.from(key, 'hex'))).toBe(false)
  }
})

test('a file written anew has what is alive, and nothing else', () => {
  const work = createBodyWork(folder, instance)
  const { written } = work.keep(lotOf(['r1', 'one'], ['r2', 'two'], ['r3', 'three']))
  work.turn()
  const [one, two, three] = written
  if (!one || !two || !three) throw new Error('nothing was written')
  const dead = readFileSync(join(folder, two.segment)).subarray(two.offset, two.offset + two.length)
  const places = work.rewrite(one.segment, [one, three, { ...three, requestId: 'cut', offset: 1e6 }])
  work.remove(one.segment)
  expect(places.map(({ requestId }) => requestId)).toEqual(['r1', 'r3'])
  for (const [n, { key }] of [one, three].entries()) {
    const place = places[n]
    expect(place && work.read(place, place.requestId, key)).toMatchObject({ requestId: place?.requestId ?? '' })
  }
  expect(files().map((name) => readFileSync(join(folder, name)).includes(dead))).toEqual([false])
  expect(files().map((name) => readFileSync(join(folder, name)).length)).toEqual([one.length + three.length])
})

test('a folder that takes nothing is a fault, told and not thrown', () => {
  writeFileSync(join(folder, 'file'), '')
  const { written, fault } = createBodyWork(join(folder, 'file', 'bodies'), instance).keep(lotOf(['r1', 'one']))
  expect({ written, fault }).toEqual({ written: [], fault: 'ENOTDIR' })
})

test('a disk that takes only a part of a record is a fault; what it took before is there, and nothing of the rest', () => {
  // In a process of its own, whose files may have 8 KiB: the write beyond fails as on a disk that is full.
  const script = `
    const { createBodyWork } = await import('${join(import.meta.dir, 'work.ts')}')
    const work = createBodyWork(process.argv[1], '${instance}')
    const { packed } = await import('${join(import.meta.dir, 'lot.ts')}')
    const lot = (requestId, length) => {
      const part = { border: 'client-request', headers: [], atMs: 0, bytes: length, pieces: [], chunks: [crypto.getRandomValues(new Uint8Array(length))] }
      return { ...packed([{ facts: { requestId, at: ${hour}, userId: 'u', keyId: null }, parts: [part] }]), rules: { fields: [], numbers: false } }
    }
    const first = work.keep(lot('r1', 4000))
    const second = work.keep(lot('r2', 6000))
    const third = work.keep(lot('r3', 1000))
    const read = work.read(first.written[0], 'r1', first.written[0].key)
    console.log(JSON.stringify({ fault: second.fault, wrote: second.written.length, third: third.written[0].offset === first.written[0].length, read: read.requestId }))
  `
  const limited = ['bash', '-c', 'trap "" XFSZ; ulimit -f 8; exec "$@"', 'limited', process.execPath, '-e', script, folder]
  const { stdout, stderr } = Bun.spawnSync(limited)
  expect(`${stdout}${stderr}`.trim()).toBe(JSON.stringify({ fault: 'EFBIG', wrote: 0, third: true, read: 'r1' }))
})

test('what was blanked is marked, and only there', () => {
  const work = createBodyWork(folder, instance)
  const [one, two] = work.keep(lotOf(['r1', 'sk-proj-abcdefghij0123456789'], ['r2', 'plain'])).written
  expect([one?.redacted, two?.redacted]).toEqual([true, false])
})
