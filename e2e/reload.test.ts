/** parley.yaml changes while Parley runs: valid changes take effect without dropping a request, and invalid ones change nothing. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Program, startProgram } from '#testing/program/program'
import { respondJson, stream, wait } from '#testing/upstream/scripted-answers'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { chatAnswer } from './support/chat-answer.ts'

const answer = chatAnswer()
const says = (content: string) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`
const json = { 'content-type': 'application/json' }

let upstream: ScriptedUpstream
let program: Program
let folder: string

interface Said {
  models?: string[]
  keys?: string[]
  groups?: string[]
  more?: string
}

const config = ({ models = ['steady'], keys = ['sk-steady-key-1'], groups = ['default', 'vip'], more = '' }: Said) => `
groups: { ${groups.map((name) => `${name}: {}`).join(', ')} }
channels:
  - { name: only, vendor: openai-compatible, baseUrl: "${upstream.url}", keys: ["\${VENDOR_KEY}"], groups: [${groups}], models: [${models}] }
prices: { ${models.map((name) => `${name}: { input: 1, output: 2 }`).join(', ')} }
users:
  - { name: admin, role: admin, password: "password of admin", balance: 100 }
  - { name: plain, password: "password of plain", groups: [${groups}], balance: 5 }
keys:
${keys.map((key) => `  - { name: ${key.slice(3)}, user: plain, key: ${key}, group: ${groups.at(-1)} }`).join('\n')}
${more}`

/** Writes the file, whose change is noticed within seconds. */
const write = (text: string) => writeFileSync(join(folder, 'parley.yaml'), text)
/** Writes the file and has it read at once. */
function writeAndReload(text: string): void {
  write(text)
  process.kill(program.pid, 'SIGHUP')
}

beforeAll(async () => {
  upstream = await scriptedUpstream(respondJson(200, answer))
  folder = mkdtempSync(join(tmpdir(), 'parley-reload-'))
  program = await startProgram({ folder, config: config({}), env: { VENDOR_KEY: 'sk-vendor' } })
})

afterAll(async () => {
  await program.stop()
  await upstream.close()
  rmSync(folder, { recursive: true, force: true })
})

const chat = (model = 'steady', key = 'sk-steady-key-1', body: object = {}) =>
  fetch(`${program.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { ...json, authorization: `Bearer ${key}` },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Well?' }], ...body }),
  })

interface Status {
  config?: { state: string; message: string | null; at: string }
}

async function statusFor(name?: string): Promise<Status> {
  if (name === undefined) return (await (await fetch(`${program.url}/api/status`)).json()) as Status
  const session = await fetch(`${program.url}/api/session`, {
    method: 'POST',
    headers: json,
    body: JSON.stringify({ name, password: `password of ${name}` }),
  })
  const cookie = (session.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
  return (await (await fetch(`${program.url}/api/status`, { headers: { cookie } })).json()) as Status
}

/** Waits until the condition holds; undefined if it never does. */
async function soon<T>(look: () => Promise<T>, holds: (value: T) => boolean): Promise<T | undefined> {
  for (let tries = 0; tries < 200; tries++) {
    const value = await look()
    if (holds(value)) return value
    await wait(50)
  }
  return undefined
}

const statusOf = async (...asked: Parameters<typeof chat>) => (await chat(...asked)).status
const inState = (wanted: string) =>
  soon(
    () => statusFor('admin'),
    ({ config: found }) => found?.state === wanted,
  )

test('administrators see that it is in force, nobody else does', async () => {
  expect((await statusFor('admin')).config).toEqual({ state: 'ok', message: null, at: expect.any(String) })
  expect((await statusFor('plain')).config).toBeUndefined()
  expect((await statusFor()).config).toBeUndefined()
})

test('a new model and a new key come into force under load, and no request fails', async () => {
  const failed: number[] = []
  let asked = 0
  let done = false
  const load = [1, 2, 3, 4].map(async () => {
    while (!done) {
      const { status } = await chat()
      asked += 1
      if (status !== 200) failed.push(status)
    }
  })
  expect(await statusOf('fresh')).toBe(404)
  const started = performance.now()
  write(config({ models: ['steady', 'fresh'], keys: ['sk-steady-key-1', 'sk-second-key-1'] }))
  expect(
    await soon(
      () => statusOf('fresh', 'sk-second-key-1'),
      (status) => status === 200,
    ),
  ).toBe(200)
  const ms = performance.now() - started
  for (let turn = 0; turn < 3; turn++) {
    writeAndReload(config({ models: ['steady', `turn-${turn}`, 'fresh'], keys: ['sk-steady-key-1', 'sk-second-key-1'] }))
    expect(
      await soon(
        () => statusOf(`turn-${turn}`),
        (status) => status === 200,
      ),
    ).toBe(200)
  }
  done = true
  await Promise.all(load)
  console.log(`in force after ${(ms / 1000).toFixed(1)} s; ${asked} requests meanwhile`)
  expect(failed).toEqual([])
  expect(asked).toBeGreaterThan(20)
}, 60_000)

test.each([
  ['no YAML', 'channels: [', /^parley\.yaml:\d+:\d+: /],
  ['an unknown field', 'chanels: []\n', /^parley\.yaml:1:1: Unknown field "chanels"/],
  ['a missing variable', `users: [{ name: "\${NOT_SET_ANYWHERE}" }]\n`, /^parley\.yaml:1:18: /],
])(
  '%s: the old state stays, the log and administrators get line and column',
  async (_, text, message) => {
    writeAndReload(text)
    const found = await inState('invalid')
    expect(found?.config?.message).toMatch(message)
    expect((await statusFor()).config).toBeUndefined()
    expect(program.output()).toContain('parley.yaml was not applied')
    expect(await statusOf()).toBe(200)
    writeAndReload(config({}))
    expect((await inState('ok'))?.config?.message).toBeNull()
  },
  60_000,
)

test('a fault that only the rows show undoes what came before it', async () => {
  // The user of the last key is not there: groups, channels, prices and users have been written by then.
  const late = '  - { name: lost, user: nobody, key: sk-lost-key-1 }\n'
  writeAndReload(config({ models: ['half'], more: late }))
  const found = await inState('invalid')
  expect(found?.config?.message).toMatch(/^parley\.yaml:\d+:\d+: keys\.1\.user/)
  expect(await statusOf()).toBe(200)
  expect(await statusOf('half')).toBe(404)
  writeAndReload(config({}))
  await inState('ok')
}, 60_000)

test('a file that goes away takes nothing with it; one that is moved into its place counts', async () => {
  renameSync(join(folder, 'parley.yaml'), join(folder, 'other.yaml'))
  expect((await inState('invalid'))?.config?.message).toContain('no longer exists')
  expect(await statusOf()).toBe(200)
  writeFileSync(join(folder, 'other.yaml'), config({ models: ['steady', 'moved'] }))
  renameSync(join(folder, 'other.yaml'), join(folder, 'parley.yaml'))
  await inState('ok')
  expect(await statusOf('moved')).toBe(200)
}, 60_000)

test('SIGHUP reads it at once', async () => {
  writeAndReload(config({ models: ['steady', 'hung'] }))
  const started = performance.now()
  expect(
    await soon(
      () => statusOf('hung'),
      (status) => status === 200,
    ),
  ).toBe(200)
  console.log(`in force ${(performance.now() - started).toFixed(0)} ms after SIGHUP`)
})

test('a key and a group that leave the file are refused, and their open streams end', async () => {
  writeAndReload(config({ keys: ['sk-steady-key-1', 'sk-second-key-1'] }))
  expect(
    await soon(
      () => statusOf('steady', 'sk-second-key-1'),
      (status) => status === 200,
    ),
  ).toBe(200)
  const open = () => {
    upstream.next(stream([says('before')], { ending: 'hang' }))
    return chat('steady', 'sk-second-key-1', { stream: true })
  }
  const first = await open()
  writeAndReload(config({}))
  expect(await first.text()).toMatch(/before.*"code":"invalid_api_key"/s)
  expect(await statusOf('steady', 'sk-second-key-1')).toBe(401)

  writeAndReload(config({ keys: ['sk-steady-key-1', 'sk-second-key-1'] }))
  expect(
    await soon(
      () => statusOf('steady', 'sk-second-key-1'),
      (status) => status === 200,
    ),
  ).toBe(200)
  const second = await open()
  writeAndReload(config({ keys: [], groups: ['default'] }))
  expect(await second.text()).toMatch(/before.*"code":"(group_not_allowed|invalid_api_key)"/s)
  expect([401, 403]).toContain(await statusOf('steady', 'sk-second-key-1'))
}, 60_000)
