/** A process is killed in the middle of a stream or a session: the next start charges what had been delivered. */
import { afterEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sampledEngines } from '#testing/database/database'
import { newPostgresDatabase } from '#testing/database/postgres-server'
import { administrator, administratorPassword, type Program, startProgram } from '#testing/program/program'
import { stream } from '#testing/upstream/scripted-answers'
import { scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { realtimeVendor, responseEvents, sessionCreated } from '#testing/vendors/realtime-vendor'
import { realtimeClient } from './support/realtime/client.ts'

const undo: (() => unknown)[] = []
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step()
})

const model = 'gpt-test'
const body = JSON.stringify({ model, stream: true, messages: [{ role: 'user', content: 'hi' }] })
const says = (content: string) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`

async function calls<Answer>(program: Program, path: string): Promise<Answer> {
  const signedIn = await fetch(`${program.url}/api/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: administrator.PARLEY_ADMIN_USER, password: administratorPassword }),
  })
  const cookie = (signedIn.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
  return (await (await fetch(program.url + path, { headers: { cookie } })).json()) as Answer
}

const configFor = (url: string, served: string, price: string) => `
channels:
  - { name: first, vendor: openai-compatible, baseUrl: "${url}", keys: [sk-vendor], models: [${served}] }
prices:
  ${served}: { ${price} }
keys:
  - { name: test, user: tester, key: sk-test-test-test }
users:
  - { name: tester, balance: 5 }
`

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'parley-crash-'))
  undo.push(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

test.each(sampledEngines(import.meta.file))(
  'kill -9 in the middle of a stream (%s)',
  async (engine) => {
    const upstream = await scriptedUpstream()
    undo.push(() => upstream.close())
    const folder = newFolder()
    const database = engine === 'postgres' ? await newPostgresDatabase() : undefined
    undo.push(() => database?.drop())
    const config = configFor(upstream.url, model, 'input: 1, output: 2')
    const options = { folder, config, env: { ...administrator, ...(database ? { DATABASE_URL: database.url } : {}) } }
    const first = await startProgram(options)
    undo.push(() => first.stop())
    // Sixteen bytes within a second and nothing after them: the journal records all of them.
    upstream.answer(stream([says('12345678'), says('12345678')], { everyMs: 100, ending: 'hang' }))
    const answer = await fetch(`${first.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: 'Bearer sk-test-test-test', 'content-type': 'application/json' },
      body,
    })
    const id = answer.headers.get('x-request-id') ?? ''
    const reading = answer.text().catch(() => undefined)
    await Bun.sleep(3_000)
    process.kill(first.pid, 'SIGKILL')
    await reading
    await first.stop()

    const second = await startProgram(options)
    undo.push(() => second.stop())
    const input = Math.ceil(Buffer.byteLength(body) / 4)
    const cost = input * 1000 + 4 * 2000
    expect(await calls<Record<string, unknown>>(second, `/api/logs/${id}`)).toMatchObject({
      end: 'cut',
      status: 200,
      channel: 'first',
      provenance: 'estimated',
      usage: { in: { fresh: input }, out: { total: 4 } },
      cost: (cost / 1e9).toFixed(9).replace(/0+$/, ''),
      error: { code: 'internal_error' },
    })
    const { data } = await calls<{ data: { name: string; balance: string; held: string }[] }>(second, '/api/users')
    expect(data.find(({ name }) => name === 'tester')).toMatchObject({ held: '0', balance: (5 - cost / 1e9).toFixed(9).replace(/0+$/, '') })
  },
  90_000,
)

test('kill -9 between two responses of a realtime session', async () => {
  const vendor = realtimeVendor()
  undo.push(() => vendor.close())
  const price = 'input: 4, output: 16, cacheRead: 0.4, audioIn: 32, audioOut: 64'
  const options = { folder: newFolder(), config: configFor(vendor.url, 'gpt-realtime', price), env: administrator }
  const first = await startProgram(options)
  undo.push(() => first.stop())
  vendor.next((made) => made.send(sessionCreated))
  const client = await realtimeClient(`${first.url}/v1/realtime?model=gpt-realtime`, [], { authorization: 'Bearer sk-test-test-test' })
  await client.event('session.created')
  const call = await vendor.call(0)
  for (const event of responseEvents('four words were said')) await call.send(event)
  await client.event('response.done')
  process.kill(first.pid, 'SIGKILL')
  await client.closed
  await first.stop()

  const second = await startProgram(options)
  undo.push(() => second.stop())
  // 30 uncached, 64 cached, 25 audio input, 20 text output, 30 audio output tokens.
  const cost = (30 * 4 + 64 * 0.4 + 25 * 32 + 20 * 16 + 30 * 64) / 1e6
  const { data: rows } = await calls<{ data: Record<string, unknown>[] }>(second, '/api/logs')
  expect(rows).toHaveLength(1)
  expect(rows[0]).toMatchObject({ operation: 'realtime', end: 'cut', provenance: 'provider', error: { code: 'internal_error' } })
  expect(Number(rows[0]?.cost)).toBeCloseTo(cost, 9)
  const { data: users } = await calls<{ data: { name: string; balance: string; held: string }[] }>(second, '/api/users')
  expect(users.find(({ name }) => name === 'tester')).toMatchObject({ held: '0' })
  expect(Number(users.find(({ name }) => name === 'tester')?.balance)).toBeCloseTo(5 - cost, 9)
}, 90_000)
