/**
 * `bun bench/keeping.ts`: what keeping a request costs the main thread, in microseconds of its processor time, without a server: a request
 * is recorded at its four points, passed to a thread that answers at once, and its row is discarded. `--stream N` records an answer of N
 * events. Comparing `bench:inside -- --kept` with `bench:inside` measures the same within a whole request, with more noise.
 */
import type { ApiKey, Caller, Group, User } from '#accounts/caller'
import { notedCall } from '#bodies/call-capture'
import { createCaptures } from '#bodies/captures'
import { systemClock, systemRandom } from '#runtime/clock'
import { usualBodies } from '#shared/console/body'
import type { Store } from '#store/engine/store'
import type { ReadNote, UpstreamAnswer, UpstreamRequest } from '#upstream/upstream'

const at = process.argv.indexOf('--stream')
const events = at < 0 ? 0 : Number(process.argv[at + 1])
const log = { debug: () => {}, info: () => {}, warn: () => {}, error: console.error }
let current: string[] = []
const place = { userId: 'u', memberId: null, keyId: 'k', instance: 'a'.repeat(32), segment: 's', offset: 0, length: 1, redacted: false }
const row = JSON.stringify({ requestId: 'REQUEST', at: new Date(0), ...place, sealedKey: 'f'.repeat(140) })

const captures = createCaptures({
  store: { db: { execute: async () => [] } } as unknown as Store,
  clock: systemClock,
  random: systemRandom,
  log,
  settings: () => ({ ...usualBodies, keep: true }),
  async keep() {
    const rows = current.map((requestId) => row.replace('REQUEST', requestId))
    current = []
    return { rows }
  },
})

const key = { id: 'k', keepBodies: true } as ApiKey
const caller: Caller = { user: { id: 'u' } as User, key, group: { keepBodies: null } as Group, models: null, strict: false }
const body = JSON.stringify({ model: 'm', max_tokens: 256, messages: [{ role: 'user', content: 'x'.repeat(400) }] })
const url = new URL('http://127.0.0.1/v1/chat/completions')
const headers = new Headers({
  host: '127.0.0.1',
  'content-type': 'application/json',
  authorization: `Bearer ${'sk-b'.repeat(12)}`,
  'user-agent': 'bench',
})
const request: UpstreamRequest = {
  ...{ method: 'POST', url: 'http://127.0.0.1:9000/v1/chat/completions', body },
  headers: { authorization: 'Bearer sk-up', 'content-type': 'application/json', accept: '*/*', 'user-agent': 'parley' },
} as UpstreamRequest
const piece = Buffer.from(`data: {"choices":[{"delta":{"content":"${'x'.repeat(40)}"}}]}\n\n`)
const whole = Buffer.from(JSON.stringify({ id: 'c', choices: [{ message: { role: 'assistant', content: 'x'.repeat(400) } }] }))

/** An answer that reports what is read of it, as one from the network does. */
function answer(): UpstreamAnswer {
  let left = events
  let note: ReadNote | undefined
  const told = (bytes: Uint8Array | undefined) => {
    if (bytes) note?.read(bytes)
    return bytes
  }
  const head = { status: 200, headers: new Headers({ 'content-type': 'application/json', date: 'now', 'x-request-id': 'r', server: 'up' }) }
  return {
    ...head,
    cancel() {},
    tap(by: ReadNote) {
      note = by
    },
    read: async () => told(left-- > 0 ? piece : undefined),
    ...(events === 0 && { readAll: async () => told(whole) }),
  } as UpstreamAnswer
}

async function one(n: number): Promise<void> {
  const requestId = `req_${n}`
  const capture = captures.begin({ requestId, url, request: { method: 'POST', headers } }, caller)
  if (!capture) throw new Error('nothing is kept')
  capture.askedWith(Buffer.from(body))
  const heard = await notedCall(capture, { channel: 'main', model: 'm', dialect: 'chat' }, request, async () => answer())
  const said = { 'content-type': 'application/json', 'x-parley-stored': '30d' }
  if (heard.readAll) capture.answeredWhole(200, said, (await heard.readAll()).toString())
  else {
    capture.answering(200, said)
    const source = capture.answerOf({ next: async () => (await heard.read()) as Uint8Array | undefined, close() {} })
    for (let goesOn = true; goesOn; ) {
      const bytes = await source.next()
      source.passed?.(bytes)
      goesOn = bytes !== undefined
    }
  }
  current.push(requestId)
  capture.settled('complete')
}

async function run(count: number): Promise<number> {
  const before = process.threadCpuUsage()
  for (let n = 0; n < count; n++) await one(n)
  await captures.flush()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / count
}

const count = Math.ceil(4_000 / Math.max(1, events / 10))
await run(count)
const rounds: number[] = []
for (let round = 0; round < 9; round++) rounds.push(await run(count))
rounds.sort((a, b) => a - b)
console.log(`${rounds[0]?.toFixed(1)} us per kept request at best, ${rounds[4]?.toFixed(1)} at the median`)
