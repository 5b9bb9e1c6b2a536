/** Sessions as they are kept: every frame at its border with its time, bounded, and blanked frame by frame. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { GatewayError } from '#shared/errors'
import type { UpstreamRequest } from '#upstream/upstream'
import { Capture, type CaptureHost } from './capture.ts'
import { packed } from './lot.ts'
import { notedDial } from './session-capture.ts'
import { createBodyWork } from './work.ts'

let folder: string
let now: number
let held: number
let finished: Capture[]
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-session-'))
  now = 0
  held = 0
  finished = []
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const host = (room = Number.POSITIVE_INFINITY): CaptureHost => ({
  now: () => now,
  take(bytes, isFrame) {
    if (isFrame && held + bytes > room) return false
    held += bytes
    return true
  },
  give(bytes) {
    held -= bytes
  },
  finished: (capture) => void finished.push(capture),
})
const upgrade: UpstreamRequest = { method: 'GET', url: 'wss://up.example/v1/realtime?model=m', headers: { accept: '*/*' }, body: undefined }
const to = { channel: 'main', model: 'm', dialect: 'realtime' }

function session(of = host()): Capture {
  const facts = { requestId: 'req_1', at: Date.UTC(2026, 10, 23), userId: 'u', keyId: 'k' }
  const capture = new Capture(of, facts, { label: '30d', onlyFailed: false })
  capture.asked({ method: 'GET', address: '/v1/realtime?model=m', headers: {} })
  return capture
}

/** What is read again of what was noted. */
function kept(capture: Capture, rules = { fields: [] as string[], numbers: false }) {
  const work = createBodyWork(folder, 'a'.repeat(32))
  const [written] = work.keep({ ...packed([capture]), rules }).written
  if (!written) throw new Error('nothing was written')
  const record = work.read(written, written.requestId, written.key)
  if (typeof record === 'string') throw new Error(record)
  return record.parts.map(({ border, frames, pieces, status, broken, redacted, leftBytes, body }) => ({
    ...{ border, frames, pieces, status, broken, redacted, leftBytes },
    text: Buffer.from(body).toString(),
  }))
}

test('every frame is kept at its borders, with the moment at which it came, and no two have the same', () => {
  const capture = session()
  now = 5
  const dial = notedDial(capture, to, upgrade)
  dial.onFrame('{"type":"session.created"}')
  capture.answering(101, { 'x-parley-stored': '30d' })
  capture.answeredFrame('{"type":"session.created"}')
  now = 9
  capture.askedFrame('{"é":1}')
  capture.askedFrame('{"é":2}')
  dial.sent('{"é":1}')
  capture.answerOver()
  capture.settled('complete')
  expect(finished).toEqual([capture])
  const blank = { status: undefined, broken: undefined, redacted: undefined, leftBytes: undefined, frames: true as const }
  expect(kept(capture)).toEqual([
    { ...blank, border: 'client-request', pieces: [9, 9, 18, 9.001], text: '{"é":1}\n{"é":2}\n' },
    { ...blank, border: 'upstream-request', pieces: [9, 9.002], text: '{"é":1}\n' },
    { ...blank, border: 'upstream-answer', pieces: [27, 5], text: '{"type":"session.created"}\n', status: 101 },
    { ...blank, border: 'client-answer', pieces: [27, 5.001], text: '{"type":"session.created"}\n', status: 101 },
  ])
})

test('a frame is blanked by itself: fields by their paths in every one of them, and numbers never across two', () => {
  const capture = session()
  for (const frame of ['{"session":{"user":"ann"}}', '{"a":"4242 4242"}', '{"session":{"user":"bob"},"key":"sk-abcdefghijklmnop1234"}'])
    capture.askedFrame(frame)
  const [part] = kept(capture, { fields: ['session.user'], numbers: true })
  expect(part).toMatchObject({ redacted: true, frames: true })
  expect(part?.text).toBe(`{"session":{"user":"***"}}\n{"a":"4242 4242"}\n{"session":{"user":"***"},"key":"${'*'.repeat(23)}"}\n`)
})

test('sound ends where a session has had its share of it; events go on, and what is left out has its time and is counted', () => {
  const capture = session()
  const sound = 'x'.repeat(100_000)
  for (let n = 0; n < 9; n++) {
    now = n
    capture.askedFrame(sound)
  }
  now = 20
  capture.askedFrame('{"type":"response.create"}')
  const [part] = kept(capture)
  expect(part).toMatchObject({ leftBytes: 200_000 })
  expect(part?.pieces?.slice(-8)).toEqual([700_007, 6, 700_007, 7, 700_007, 8, 700_034, 20])
  for (let n = 0; n < 1000; n++) capture.askedFrame('y'.repeat(1000))
  expect(kept(capture)[0]?.text.length).toBeLessThanOrEqual(1024 * 1024)
  expect(held).toBe(capture.held)
})

test('more frames than there is a place for are counted; without room the session is kept as far as it was noted', () => {
  const many = session()
  for (let n = 0; n < 20_005; n++) many.askedFrame('{}')
  expect(kept(many)[0]).toMatchObject({ leftBytes: 10 })
  expect(many.parts[0]?.pieces).toHaveLength(40_000)
  held = 0
  const full = session(host(10))
  full.askedFrame('{"a":1}')
  full.askedFrame('{"b":2}')
  full.askedWith(new Uint8Array(0))
  expect(full.isGivenUp).toBe(false)
  expect(kept(full)[0]).toMatchObject({ text: '{"a":1}\n', leftBytes: 7 })
})

test('a connection that is refused, or breaks, is kept as such', () => {
  const capture = session()
  const refused = notedDial(capture, to, upgrade)
  refused.refused({ status: 429, headers: new Headers({ 'retry-after': '1' }), body: '{"error":{}}' })
  const failed = notedDial(capture, to, upgrade)
  failed.broke(new GatewayError('upstream_timeout', 'late'))
  const broke = notedDial(capture, to, upgrade)
  broke.onFrame('{}')
  broke.broke(new GatewayError('upstream_error', 'gone'))
  expect(kept(capture).map(({ border, status, broken, text }) => [border, status, broken, text])).toEqual([
    ['client-request', undefined, undefined, ''],
    ['upstream-request', undefined, undefined, ''],
    ['upstream-answer', 429, undefined, '{"error":{}}'],
    ['upstream-request', undefined, 'upstream_timeout', ''],
    ['upstream-request', undefined, undefined, ''],
    ['upstream-answer', 101, 'upstream_error', '{}\n'],
  ])
})
