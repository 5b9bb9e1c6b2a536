/** Every command against a running Parley, with what it prints, its JSON and its exit codes. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { sampledEngine } from '#testing/database/database'
import { newPostgresDatabase } from '#testing/database/postgres-server'
import { administrator, administratorPassword, type Program, startProgram } from '#testing/program/program'
import { respondJson } from '#testing/upstream/scripted-answers'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { CommandError } from './api.ts'
import { commands, runConsoleCommand } from './run.ts'

const answer = {
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: 'gpt-cli',
  choices: [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1000, completion_tokens: 500, total_tokens: 1500 },
}

let program: Program
let upstream: ScriptedUpstream
let drop: () => Promise<void> = async () => {}
let key = ''
/** Commands that ran, so that none is forgotten. */
const ran = new Set<string>()

let working = ''
/** Files of the person who runs the commands. */
const home = new Map<string, string>()

interface Ended {
  code: number
  out: string
  error: string
}

/** Runs a command line as a person would; `files` are what it may read, `yes` what is answered to a question. */
async function parley(
  line: string | string[],
  { files = {}, yes, env = {} }: { files?: Record<string, string>; yes?: boolean; env?: Record<string, string> } = {},
): Promise<Ended> {
  const args = typeof line === 'string' ? line.split(' ') : line
  ran.add(commands.find(({ words }) => words === args.slice(0, words.split(' ').length).join(' '))?.words ?? '')
  const out: string[] = []
  const error: string[] = []
  const code = await runConsoleCommand(args, {
    env: { PARLEY_URL: program.url, PARLEY_MANAGEMENT_KEY: key, ...env },
    out: (text) => void out.push(text),
    error: (text) => void error.push(text),
    async readText(file) {
      const text = files[file]
      if (text === undefined) throw new CommandError(`There is no file ${file}.`)
      return text
    },
    confirm: async () => yes ?? false,
    files: {
      home: '/home/ann',
      read: async (path) => home.get(path) ?? null,
      write: async (path, text) => void (text === null ? home.delete(path) : home.set(path, text)),
      append: async (path, text) => void home.set(path, `${home.get(path) ?? ''}${text}`),
    },
  })
  return { code, out: out.join('\n'), error: error.join('\n') }
}

async function json<Answer>(line: string | string[], files: Record<string, string> = {}): Promise<Answer> {
  const args = typeof line === 'string' ? line.split(' ') : line
  const { code, out, error } = await parley([...args, '--json'], { files })
  expect([args, code, error]).toEqual([args, 0, ''])
  return JSON.parse(out)
}

beforeAll(async () => {
  const postgres = sampledEngine(import.meta.file) === 'postgres' ? await newPostgresDatabase() : undefined
  drop = postgres?.drop ?? drop
  program = await startProgram({ env: { ...administrator, ...(postgres && { DATABASE_URL: postgres.url }) } })
  upstream = await scriptedUpstream()
  upstream.answer(respondJson(200, answer))
  const post = (path: string, body: object, cookie = '') =>
    fetch(program.url + path, { method: 'POST', headers: { 'content-type': 'application/json', cookie }, body: JSON.stringify(body) })
  const signedIn = await post('/api/session', { name: administrator.PARLEY_ADMIN_USER, password: administratorPassword })
  const cookie = (signedIn.headers.get('set-cookie') ?? '').split(';')[0]
  const scopes = ['read', 'keys', 'channels', 'prices', 'users', 'teams', 'credits', 'groups', 'settings', 'bodies', 'replay']
  const made = (await (await post('/api/management-keys', { name: 'cli', scopes }, cookie)).json()) as { key: string }
  key = made.key
}, 90_000)
afterAll(async () => {
  await upstream?.close()
  await program?.stop()
  await drop()
})

test('channels: created, listed, shown, changed, tested, deleted', async () => {
  const files = { keys: 'sk-vendor-1\nsk-vendor-2\n', extra: JSON.stringify({ tags: ['cli'] }) }
  const create = `channels create main --vendor openai-compatible --base-url ${upstream.url}/v1 --keys-file keys --file extra`.split(' ')
  expect(await json([...create, '--models', 'gpt-cli,gpt-other', '--priority', '-3'], files)).toMatchObject({
    name: 'main',
    priority: -3,
    tags: ['cli'],
  })
  expect((await parley('channels list')).out).toMatch(/^id +name +vendor/)
  expect(await json<object[]>('channels list')).toHaveLength(1)
  expect((await parley('channels show main')).out).toContain('openai-compatible')
  expect(await json('channels set main --weight 5 --off')).toMatchObject({ weight: 5, enabled: false })
  expect(await json('channels set main --on')).toMatchObject({ enabled: true })
  expect(await json('channels test main --model gpt-cli')).toMatchObject({ ok: true, model: 'gpt-cli' })
  upstream.answer(respondJson(401, { error: { message: 'no' } }))
  expect((await parley('channels test main --model gpt-cli')).code).toBe(1)
  upstream.answer(respondJson(200, answer))
  expect(await json(['channels', 'create', 'second', '--vendor', 'demo', '--models', 'm'])).toMatchObject({ name: 'second' })
  expect((await parley('channels delete second')).out).toBe('Deleted the channel second.')
}, 60_000)

test('prices: set, listed, shown, deleted', async () => {
  expect(await json('prices set gpt-cli --input 1 --output 2 --cache-read 0.1')).toMatchObject({
    input: '1',
    output: '2',
    cacheRead: '0.1',
  })
  expect((await parley('prices list')).out).toContain('gpt-cli')
  expect(await json('prices show gpt-cli')).toMatchObject({ output: '2' })
  expect(await json('prices set gpt-gone --request 1')).toMatchObject({ request: '1' })
  expect((await parley('prices delete gpt-gone')).code).toBe(0)
  expect(await parley('prices show gpt-gone')).toMatchObject({ code: 1, error: 'parley: There is no price for gpt-gone.' })
  expect((await parley('prices set gpt-cli')).code).toBe(2)
  await json('prices set gpt-cli --input 1 --output 3 --cache-read 0.1')
  const changes = (await json('prices history gpt-cli')) as { after: unknown; before: unknown }[]
  expect(changes.map(({ before, after }) => [before, after])).toEqual([
    [{ output: '2' }, { output: '3' }],
    [null, { input: '1', output: '2', cacheRead: '0.1' }],
  ])
  expect((await parley('prices history gpt-cli')).out).toContain('{"output":"2"}')
  await json('prices set gpt-cli --input 1 --output 2 --cache-read 0.1')
  expect(await parley('prices missing')).toMatchObject({ code: 1, out: expect.stringMatching(/gpt-other +unpriced +main/) })
})

test('users: created, listed, shown, changed, credited once, deleted', async () => {
  const files = { password: 'a long password\n' }
  const made = await json<{ id: string }>('users create ann --balance 5 --password-file password --daily 2 --rpm 10', files)
  expect(made).toMatchObject({ balance: '5', signsIn: true, budget: { daily: '2' }, limits: { rpm: 10 } })
  expect((await parley('users list')).out).toMatch(/ann +user +default/)
  expect(await json('users show ann')).toMatchObject({ id: made.id })
  expect((await parley('users set ann --role admin')).error).toContain('A management key may not create administrators')
  expect(await json('users set ann --rpm 20 --off')).toMatchObject({ limits: { rpm: 20 }, enabled: false })
  const set = async (flags: string) => json<object>(`users set ann ${flags}`)
  await set('--daily 5 --tpm 1000')
  expect(await set('--weekly 20 --rpm 30')).toMatchObject({ budget: { daily: '5', weekly: '20' }, limits: { rpm: 30, tpm: 1000 } })
  const fewer = await set('--daily none --tpm none')
  expect(fewer).toMatchObject({ budget: { weekly: '20' }, limits: { rpm: 30 } })
  expect(JSON.stringify(fewer)).not.toContain('daily')
  expect(await set('--weekly none --rpm none')).toMatchObject({ budget: null, limits: null })
  for (let twice = 0; twice < 2; twice++) {
    expect(await json(['users', 'credit', 'ann', '-1.5', '--reason', 'a mistake', '--once', 'c1'])).toMatchObject({ balance: '3.5' })
  }
  expect((await parley('users credit ann 1')).error).toContain('--reason')
  await json('users create gone')
  expect((await parley('users delete gone')).out).toBe('Deleted the user gone.')
})

test('teams: made, shown, credited, deleted; members with caps', async () => {
  expect(await json('teams create apps --balance 5 --models gpt-cli,o* --weekly 9 --rpm 60')).toMatchObject({
    ...{ name: 'apps', balance: '5', models: ['gpt-cli', 'o*'], budget: { weekly: '9' }, limits: { rpm: 60 } },
  })
  expect((await parley('teams list')).out).toMatch(/apps +default +gpt-cli,o\* +0 +5 +0 +on/)
  expect((await parley('teams show apps')).out).toContain('gpt-cli')
  expect(await json('teams set apps --models all --off --claim people')).toMatchObject({ models: null, enabled: false, claim: 'people' })
  expect(await json('teams set apps --on --claim none')).toMatchObject({ enabled: true, claim: null })
  await json('users create worker')
  expect(await json('teams add-member apps worker --role manager --monthly 60 --daily 10')).toMatchObject({ role: 'manager' })
  expect(await json('teams caps apps worker --daily none --weekly 20')).toMatchObject({ budget: { weekly: '20', monthly: '60' } })
  expect(await json('teams caps apps worker --role member')).toMatchObject({ role: 'member', budget: { weekly: '20', monthly: '60' } })
  expect((await parley('teams members apps')).out).toMatch(/worker +member +weekly:20,monthly:60 +0/)
  expect(await parley('teams caps apps worker')).toMatchObject({ code: 2 })
  expect((await parley('teams caps apps nobody --daily 1')).error).toContain('There is nothing with the id or name nobody')
  expect(await json('teams credit apps 2.5 --reason more --once t1')).toMatchObject({ balance: '7.5' })
  expect(await json('teams credit apps 2.5 --reason more --once t1')).toMatchObject({ balance: '7.5' })
  expect((await parley('teams credit apps 1')).code).toBe(2)
  expect(await json('keys create team-ci --team apps')).toMatchObject({ team: { name: 'apps' } })
  expect((await parley('keys list --q team-ci')).out).toContain('apps')
  expect(await json('usage --team apps')).toBeArray()
  expect((await parley('teams remove-member apps worker')).out).toBe('Removed worker from the team apps.')
  expect((await parley('teams delete apps')).out).toBe('Deleted the team apps.')
})

test('plans and codes: made, given, listed, revoked', async () => {
  expect(await json('plans create pro --windows 5h:2,1mo:30')).toMatchObject({
    name: 'pro',
    windows: [{ every: '5h', amount: '2' }, { amount: '30' }],
  })
  expect((await parley('plans create other --windows 5h')).error).toContain('5h:2,1w:10')
  expect(await json('plans set pro --windows 1w:9 --name max')).toMatchObject({ name: 'max', windows: [{ every: '1w', amount: '9' }] })
  await json('users create holder')
  const until = new Date(Date.now() + 86_400_000).toISOString()
  expect((await parley(`plans give max --user holder --until ${until}`)).out).toContain('1w: 9 of 9 left')
  expect((await parley('plans list')).out).toMatch(/max +- +1w:9 +on +1/)
  expect((await parley(`plans give max --until ${until}`)).error).toContain('--user and --team')
  expect((await parley('plans take --user holder')).out).toBe('Removed.')
  const { out } = await parley('codes create --count 2 --value 5 --plan max --days 30 --note spring')
  expect(out.split('\n')).toEqual([expect.stringMatching(/^(\w{4}-){5}\w{4}$/), expect.stringMatching(/^(\w{4}-){5}\w{4}$/)])
  const codes = await json<{ batch: string; state: string; hint: string }[]>('codes list')
  expect(codes.map(({ state }) => state)).toEqual(['open', 'open'])
  expect((await parley(`codes revoke ${codes[0]?.batch}`)).code).toBe(0)
  expect((await parley(`codes list --batch ${codes[0]?.batch}`)).out).toMatch(/5 +max 30d +revoked/)
  await json('plans create gone')
  expect((await parley('plans delete gone')).out).toBe('Deleted the plan gone.')
  expect((await parley('plans delete max')).error).toContain('still_in_use')
})

test('credits: added once, refunded, listed', async () => {
  for (let twice = 0; twice < 2; twice++) expect(await json('credits add ch_1 20 --user holder')).toMatchObject({ amount: '20', of: null })
  expect((await parley('credits add ch_1 21 --user holder')).error).toContain('idempotency_conflict')
  expect(await json('credits refund ch_1 re_1 --amount 5 --partial --reason returned')).toMatchObject({ amount: '-5', of: 'ch_1' })
  expect((await parley('credits list --reference ch_1')).out).toMatch(/re_1 +ch_1 +holder +-5/)
  expect(await json<unknown[]>('credits list --wallet holder')).toHaveLength(2)
  await json('users delete holder')
})

test('invitations: made, listed, taken back; a lost second factor is reset', async () => {
  const { out: link } = await parley('invitations create --uses 3 --days 2 --note later')
  expect(link).toMatch(/\/join#inv-\w{40}$/)
  const [row] = await json<{ id: string; most: number; note: string }[]>('invitations list')
  expect(row).toMatchObject({ most: 3, note: 'later' })
  expect((await parley('invitations list')).out).toMatch(/this server +user +admin +0 of 3/)
  expect((await parley(`invitations revoke ${row?.id}`)).out).toBe(`Revoked the invitation ${row?.id}.`)
  expect((await parley('invitations list')).out).toBe('No invitations.')
  expect((await parley('users reset-second-factor ann')).out).toBe('ann can now sign in without a second factor.')
  expect((await parley('users reset-second-factor admin')).error).toContain(
    'A management key may not remove an administrator’s second factors',
  )
})

test('keys: created, listed, shown, changed, rotated, deleted', async () => {
  const { out: secret } = await parley('keys create ci --models gpt-cli --daily 5 --addresses 127.0.0.1')
  expect(secret).toMatch(/^sk-\w{48}$/)
  expect(await json('keys show ci')).toMatchObject({ models: ['gpt-cli'], budget: { daily: '5' }, addresses: ['127.0.0.1'] })
  expect((await parley('keys list')).out).toContain(`sk-...${secret.slice(-4)}`)
  expect(await json<{ name: string }[]>('keys list --user ann')).toEqual([])
  expect(await json('keys create of-ann --user ann')).toMatchObject({ user: { name: 'ann' } })
  expect(await json('keys set ci --name build --note hello --off')).toMatchObject({ name: 'build', note: 'hello', enabled: false })
  await json('keys set build --on --models a,b --expires 2099-01-01T00:00:00Z --addresses 10.0.0.0/8')
  const open = await json('keys set build --models all --expires never --addresses all')
  expect(open).toMatchObject({ models: null, expiresAt: null, addresses: null })
  const { out: next } = await parley('keys rotate build --overlap 1')
  expect(next).not.toBe(secret)
  expect((await parley('keys delete of-ann')).out).toBe('Deleted the key of-ann.')
  const asked = await fetch(`${program.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${next}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'gpt-cli', messages: [{ role: 'user', content: 'hello' }] }),
  })
  await asked.text()
  expect(asked.status).toBe(200)
  working = next
})

test('usage and requests are those of the API', async () => {
  expect(await json('usage --from 1d --by model')).toMatchObject([{ model: 'gpt-cli', requests: 1, charged: '0.002' }])
  expect((await parley('usage --from 1d --by model,key')).out).toMatch(/model +key +requests.*\ngpt-cli +build +1 /)
  expect((await parley('usage --from 1d --csv')).out.split('\n')).toHaveLength(2)
  const [row] = await json<{ requestId: string }[]>('requests list --model gpt-cli --limit 1')
  expect(await json(`requests show ${row?.requestId}`)).toMatchObject({ charged: '0.002', bill: { cost: '0.002' } })
  expect(await json('requests list --upstream-model gpt-cli')).toMatchObject([{ requestId: row?.requestId }])
  expect((await parley('requests list --upstream-model gpt-other')).out).toBe('No requests.')
  expect((await parley('requests list --failed --from 1h')).out).toBe('No requests.')
})

test('an invoice is compared with what is known, and a difference has an exit code of its own', async () => {
  const day = new Date().toISOString().slice(0, 10)
  const csv = `start_time_iso,amount_value,line_item\n${day}T00:00:00Z,0.004,"gpt-cli, output"\n${day}T00:00:00Z,5,"gpt-other, output"\n`
  const invoice = ['invoices', 'check', 'bill.csv', '--vendor', 'openai', '--channel', 'main']
  const { code, out } = await parley(invoice, { files: { 'bill.csv': csv } })
  expect(code).toBe(3)
  expect(out.split('\n')).toEqual([
    `${day} to ${day}: billed 5.004 USD, known 0 USD, difference 5.004 USD; 0 lines of something else.`,
    expect.stringMatching(/^day +model +billed +known +difference +requests +page$/),
    expect.stringMatching(/ gpt-other +5 +- +5 +0 /),
  ])
  const small = await parley([...invoice, '--all'], { files: { 'bill.csv': csv.split('\n').slice(0, 2).join('\n') } })
  expect([small.code, small.out]).toEqual([0, expect.stringMatching(/ gpt-cli +0.004 +- +0.004 +1 +\/requests\?from=/)])
  expect((await parley('invoices check bill.csv')).code).toBe(2)
})

test('what a kept request sent and got is read as it was', async () => {
  const authorization = `Bearer ${key}`
  const chosen = await fetch(`${program.url}/api/settings`, {
    method: 'PATCH',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ bodies: { keep: true } }),
  })
  expect(chosen.status).toBe(200)
  const body = JSON.stringify({ model: 'gpt-cli', messages: [{ role: 'user', content: 'keep this' }] })
  const asked = await fetch(`${program.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${working}`, 'content-type': 'application/json' },
    body,
  })
  await asked.text()
  expect(asked.headers.get('x-parley-stored')).toBe('30d')
  const id = asked.headers.get('x-request-id') ?? ''
  // Written by a thread of its own, after the answer.
  for (let tries = 0; tries < 200 && (await parley(`requests get ${id}`)).code !== 0; tries++) await Bun.sleep(50)
  const { parts } = await json<{ parts: { border: string; text?: string }[] }>(`requests get ${id}`)
  expect(parts.map(({ border }) => border).sort()).toEqual(['client-answer', 'client-request', 'upstream-answer', 'upstream-request'])
  expect((await parley(`requests get ${id} --part 0`)).out).toBe(body)
  expect((await parley(`requests get ${id}`)).out).toContain('keep this')

  const exported = await parley('requests export --since 1d --borders client-request')
  const lines = exported.out.split('\n').map((line) => JSON.parse(line))
  expect(lines.find(({ requestId }) => requestId === id)).toMatchObject({
    model: 'gpt-cli',
    parts: [{ border: 'client-request', text: body }],
  })
  expect((await parley('requests export --since 1d --limit 1 --out kept.jsonl')).out).toBe('1 requests are in kept.jsonl.')
  const [first = '', ...none] = (home.get('kept.jsonl') ?? '').split('\n')
  expect([JSON.parse(first).parts.length, none]).toEqual([4, ['']])
  await parley(['requests', 'export', '--since', '1d', '--out', 'kept.jsonl', '--after', JSON.parse(first).cursor])
  expect((home.get('kept.jsonl') ?? '').split('\n')).toHaveLength(lines.length + 1)
  home.delete('kept.jsonl')
  const made = await parley('requests export --since 1d --as fine-tuning --out tuning.jsonl')
  expect(made.out).toMatch(/^\d+ examples are in tuning\.jsonl\./)
  const [example] = (home.get('tuning.jsonl') ?? '').split('\n')
  expect(JSON.parse(example ?? '').messages.at(-1)).toEqual({ role: 'assistant', content: 'ok' })
  home.delete('tuning.jsonl')
  expect((await parley('requests export --as evals --after nonsense')).error).toContain('Continue with --after nonsense')
  expect(await parley(`replay ${id} --model gpt-cli`)).toMatchObject({ code: 1, error: expect.stringContaining('Nothing was sent.') })
  const replayed = await json<{ id: string; state: string; charged: string }>(`replay ${id} --model gpt-cli --set {"seed":7} --yes`)
  expect(replayed).toMatchObject({ state: 'done', items: { done: 1 }, results: [{ requestId: id, difference: { text: 'same' } }] })
  expect(upstream.requests.at(-1)?.json()).toMatchObject({ seed: 7, messages: [{ role: 'user', content: 'keep this' }] })
  expect((await parley(['replay', '--filter', 'model=gpt-cli,from=1h', '--limit', '1'], { yes: true })).out).toMatch(
    /1 requests on 1 targets[\s\S]*1 done/,
  )
  expect((await parley('replay')).code).toBe(2)
  expect((await parley('replay --filter nothing=1 --yes')).code).toBe(2)
  expect((await json<object[]>('replay list')).length).toBe(2)
  expect((await parley(`replay show ${replayed.id}`)).out).toMatch(/^rep_\w+: done, [\d.]+ USD charged\nn +request/)
  expect((await parley(`replay show ${replayed.id} --csv`)).out).toStartWith('request,replay,')
  expect((await parley(`replay show ${replayed.id} --answers`)).out).toContain('"replayAnswer":{"text":"ok"')
  expect(await parley(`replay stop ${replayed.id}`)).toMatchObject({ code: 0, out: `${replayed.id} is over: done.` })
}, 60_000)

describe('config', () => {
  const file = `
groups:
  default: { ratio: 1.0 }
  vip: { description: Priority, ratio: 0.8 }
channels:
  - { name: main, vendor: openai-compatible, groups: [default, vip], models: [gpt-cli, gpt-other], keys: [sk-vendor-1, sk-vendor-2] }
  - { name: fresh, vendor: openai-compatible, baseUrl: "http://127.0.0.1:9/v1", keys: ["\${SECRET}"], models: [m] }
prices:
  gpt-cli: { input: 1.0, output: 3 }
users:
  - { name: ann, groups: [default, vip], balance: 100, password: a long password }
  - { name: ben, balance: 1 }
fallbacks:
  gpt-cli: { error: [gpt-other] }
`
  const files = { 'house.yaml': file }
  const env = { SECRET: 'sk-a-secret-of-the-environment' }

  test('a plan shows what would be written, without a secret, and writes nothing', async () => {
    const { code, out } = await parley('config plan house.yaml', { files, env })
    expect(code).toBe(3)
    expect(out.split('\n')).toEqual([
      '+ group vip',
      '    description: Priority',
      '    ratio: 0.8',
      '~ price gpt-cli',
      '    output: 2 -> 3',
      '    cacheRead: 0.1 -> not set',
      '~ channel main',
      '    groups: ["default"] -> ["default","vip"]',
      '+ channel fresh',
      '    vendor: openai-compatible',
      '    baseUrl: http://127.0.0.1:9/v1',
      '    models: ["m"]',
      '    keys: set',
      '~ user ann',
      '    groups: ["default"] -> ["default","vip"]',
      '+ user ben',
      '    balance: 1',
      '~ fallbacks gpt-cli',
      '    gpt-cli: not set -> {"error":["gpt-other"]}',
      '',
      '3 to create, 4 to change.',
    ])
    const { out: told } = await parley('config plan house.yaml --json', { files, env })
    expect(told).not.toMatch(/sk-|a long password/)
    expect((await json<{ name: string }[]>('users list')).map(({ name }) => name)).not.toContain('ben')
  })

  test('apply asks first, and writes nothing without a yes', async () => {
    const { code, out, error } = await parley('config apply house.yaml', { files, env })
    expect([code, error]).toEqual([1, 'parley: Nothing was written. Answer y, or pass --yes.'])
    expect(out).toContain('3 to create, 4 to change.')
    expect((await parley('config plan house.yaml', { files, env })).code).toBe(3)
  })

  test('applied, nothing differs any more', async () => {
    const { code, out } = await parley('config apply house.yaml', { files, env, yes: true })
    expect([code, out.split('\n').at(-1)]).toEqual([0, '7 changes written.'])
    expect(await parley('config plan house.yaml', { files, env })).toEqual({ code: 0, out: 'Nothing differs.', error: '' })
    expect((await parley('config apply house.yaml --yes --json', { files, env })).out).toContain('"applied": 0')
    expect(await json('users show ann')).toMatchObject({ balance: '3.5', groups: ['default', 'vip'] })
    expect(await json('prices show gpt-cli')).not.toHaveProperty('cacheRead')
    const { code: exported, out: text } = await parley('config export')
    expect(exported).toBe(0)
    expect(text).toMatch(/\n {2}- name: fresh\n {4}vendor: openai-compatible\n {4}keys:\n {6}- \$\{FRESH_KEY\}\n/)
    expect(text).not.toMatch(/sk-|a long password/)
  })

  test('another secret is a change, and so is another address, which takes the secrets along', async () => {
    const other = { 'house.yaml': file.replace('127.0.0.1:9', '127.0.0.1:10') }
    expect((await parley('config plan house.yaml', { files: other, env })).out).toContain('    keys: set -> changed')
    const { out } = await parley('config plan house.yaml', { files, env: { SECRET: 'sk-another-secret' } })
    expect(out).toContain('~ channel fresh\n    keys: set -> changed\n')
    expect((await parley('config apply house.yaml --yes', { files: other, env })).code).toBe(0)
  })

  test('what cannot be done is said, and then nothing is written', async () => {
    const odd = {
      'house.yaml': file
        .replace('{ name: fresh, vendor: openai-compatible', '{ name: fresh, vendor: openai')
        .replace('ratio: 0.8', 'ratio: 0.7'),
    }
    const { code, out } = await parley('config apply house.yaml --yes', { files: odd, env })
    expect(code).toBe(1)
    expect(out).toContain('! channel fresh: the vendor of a channel cannot change')
    expect((await parley('config plan house.yaml', { files: odd, env })).out).toContain('ratio: 0.8 -> 0.7')
  })

  test.each([
    ['groups: { vip: { ratios: 1 } }', 'house.yaml:1:18: Unknown field "ratios"'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of parley.yaml
    ['channels: [{ name: c, vendor: openai, keys: ["${NOTHING}"], models: [m] }]', 'NOTHING'],
    ['keys: [{ name: k, user: ann, key: sk-12345678 }]', 'keys create'],
  ])('%s is refused', async (text, why) => {
    const { code, error } = await parley('config plan house.yaml', { files: { 'house.yaml': text } })
    expect([code, error.includes(why) ? why : error]).toEqual([1, why])
  })
})

test('config: plans, teams with their members, and who has which plan', async () => {
  const until = new Date(Date.now() + 5 * 86_400_000).toISOString()
  const house = (cap: string) => `plans: [{ name: gold, windows: [{ every: 1w, amount: 9 }] }]
users: [{ name: carl, plan: { name: gold, until: "${until}" } }]
teams: [{ name: labs, balance: 5, members: [{ user: carl, budget: { daily: ${cap} } }], plan: { name: gold, until: "${until}" } }]`
  const config = (what: string, cap = '1') =>
    parley(`config ${what} house.yaml${what === 'apply' ? ' --yes' : ''}`, { files: { 'house.yaml': house(cap) } })
  expect((await config('plan')).out).toMatch(
    /^\+ plan gold[\s\S]+\+ user carl[\s\S]+~ plan of user carl[\s\S]+\+ team labs[\s\S]+\+ member carl of labs[\s\S]+~ plan of team labs/,
  )
  expect(await config('apply')).toMatchObject({ code: 0, out: expect.stringContaining('6 changes written.') })
  expect(await config('plan')).toMatchObject({ code: 0, out: 'Nothing differs.' })
  expect((await config('plan', '2')).out).toMatch(/^~ member carl of labs\n +budget: \{"daily":"1"\} -> \{"daily":"2"\}/)
  expect((await parley('config export')).out).toContain('gold')
})

describe('what goes wrong', () => {
  test.each<[string, number, string]>([
    ['keys', 2, ''],
    ['keys lsit', 2, 'There is no command keys lsit.'],
    ['keys show', 2, 'Usage: parley keys show KEY'],
    ['keys list --colour red', 2, 'parley keys list --help'],
    ['keys show nothing', 1, 'There is nothing with the id or name nothing.'],
    ['channels set main --on --off', 2, 'not both'],
    ['channels set main --priority high', 2, '--priority takes a whole number.'],
    ['requests show req_nothing', 1, '404 not_found'],
    ['completion tcsh', 2, 'bash|zsh|fish'],
  ])('%s', async (line, code, why) => {
    const ended = await parley(line)
    expect([ended.code, ended.error.includes(why) ? why : ended.error]).toEqual([code, why])
  })

  test('no key, a wrong one, one without the scope, no Parley', async () => {
    expect((await parley('keys list', { env: { PARLEY_MANAGEMENT_KEY: '' } })).code).toBe(2)
    expect((await parley('keys list', { env: { PARLEY_MANAGEMENT_KEY: 'pk-nothing-that-exists' } })).error).toContain('401 invalid_api_key')
    expect((await parley('keys list', { env: { PARLEY_URL: 'http://127.0.0.1:1' } })).error).toContain(
      'does not respond at http://127.0.0.1:1',
    )
    expect((await parley('keys list --url ftp://here')).code).toBe(2)
  })
})

test('agent setup: printed, written, replaced, taken back', async () => {
  const env = { PARLEY_KEY: 'sk-of-ann', PARLEY_MANAGEMENT_KEY: '' }
  const settings = '/home/ann/.claude/settings.json'
  const own = '{ "theme": "dark" }'
  home.set(settings, own)
  const printed = await parley('agent setup claude --model opus', { env })
  expect([printed.code, printed.out]).toEqual([0, expect.stringContaining(`"ANTHROPIC_BASE_URL": "${program.url}"`)])
  expect(home.get(settings)).toBe(own)
  expect((await parley('agent setup claude --model opus --write', { env })).code).toBe(0)
  expect((await parley('agent setup claude --model sonnet --small-model haiku --write', { env })).code).toBe(0)
  expect(JSON.parse(home.get(settings) ?? '')).toEqual({
    theme: 'dark',
    env: {
      ANTHROPIC_BASE_URL: program.url,
      ANTHROPIC_AUTH_TOKEN: 'sk-of-ann',
      ANTHROPIC_MODEL: 'sonnet',
      ANTHROPIC_SMALL_FAST_MODEL: 'haiku',
    },
  })
  expect((await parley('agent setup claude --undo', { env: { PARLEY_MANAGEMENT_KEY: '' } })).out).toBe(`Taken back: ${settings}`)
  expect([...home]).toEqual([[settings, own]])
  for (const agent of ['codex', 'opencode', 'gemini', 'qwen']) {
    expect([agent, (await parley(`agent setup ${agent} --model m --write`, { env })).code]).toEqual([agent, 0])
    expect([agent, (await parley(`agent setup ${agent} --undo`, { env })).code]).toEqual([agent, 0])
  }
  expect([...home.keys()]).toEqual([settings])
  // A file that cannot be read is not written over, nor is any other.
  home.set('/home/ann/.gemini/settings.json', '{ // mine')
  expect((await parley('agent setup gemini --model m --write', { env })).code).toBe(1)
  expect([...home.keys()]).toEqual([settings, '/home/ann/.gemini/settings.json'])
  expect((await parley('agent setup vim --model m', { env })).code).toBe(2)
  expect((await parley('agent setup claude', { env })).code).toBe(2)
})

test('doctor: what works, and what is to be mended', async () => {
  const secret = (await json<{ key: string }>('keys create doctor')).key
  for (const agent of ['claude', 'codex', 'opencode', 'gemini']) {
    const { code, out } = await parley(`doctor ${agent} --json`, { env: { PARLEY_KEY: secret, PARLEY_MANAGEMENT_KEY: '' } })
    const { checks } = JSON.parse(out) as { checks: { name: string; state: string }[] }
    expect([agent, checks.map(({ name }) => name)]).toEqual([
      agent,
      ['Parley', 'key', 'models', 'answer', 'streaming', 'tools', 'thinking'],
    ])
    expect([agent, code, checks.filter(({ state }) => state === 'fails')]).toEqual([agent, 0, []])
  }
  const wrong = await parley('doctor claude', { env: { PARLEY_KEY: 'sk-of-nobody-at-all' } })
  expect(wrong.code).toBe(1)
  expect(wrong.out).toMatch(/key +fails +401.*Create a key on the page Keys/)
  const unknown = await parley('doctor codex --model nothing', { env: { PARLEY_KEY: secret } })
  expect([unknown.code, unknown.out]).toEqual([1, expect.stringContaining('there is no nothing; there are')])
  const away = await parley('doctor qwen --url http://127.0.0.1:9', { env: { PARLEY_KEY: secret } })
  expect([away.code, away.out]).toEqual([1, expect.stringContaining('Is it running')])
})

test('the program itself: exit code, standard output and standard error', () => {
  const run = (...args: string[]) => {
    const child = Bun.spawnSync([process.execPath, 'server/cli.ts', ...args], {
      cwd: join(import.meta.dir, '../../..'),
      env: { ...process.env, PARLEY_URL: program.url, PARLEY_MANAGEMENT_KEY: key },
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    })
    return [child.exitCode, child.stdout.toString(), child.stderr.toString()]
  }
  expect(run('prices', 'show', 'gpt-cli', '--json')).toEqual([0, expect.stringContaining('"model": "gpt-cli"'), ''])
  expect(run('prices', 'show', 'nothing')).toEqual([1, '', 'parley: There is no price for nothing.\n'])
  expect(run('prices')[0]).toBe(2)
}, 60_000)

test('import: prices of the models offered here, after a look', async () => {
  await json(`channels create priced --vendor openai-compatible --base-url ${upstream.url}/v1 --keys-file k --models gpt-x,gpt-y`, {
    k: 'sk-vendor',
  })
  await json('prices set gpt-y --input 1 --output 1')
  const catalogue = JSON.stringify({
    'gpt-x': { input_cost_per_token: 1.25e-6, output_cost_per_token: 1e-5, litellm_provider: 'openai' },
    'gpt-y': { input_cost_per_token: 2e-6, litellm_provider: 'openai' },
    unknown: { input_cost_per_token: 1e-6, litellm_provider: 'openai' },
  })
  const files = { catalogue, nothing: '{}' }
  const asked = await parley('import prices catalogue', { files })
  expect([asked.code, asked.out]).toEqual([1, expect.stringMatching(/gpt-x +openai +input - -> 1.25/)])
  expect(asked.out).not.toMatch(/gpt-y|unknown/)
  expect((await parley('import prices catalogue --yes', { files })).out).toContain('1 price written.')
  expect(await json('prices show gpt-x')).toMatchObject({ input: '1.25', output: '10' })
  expect((await parley('import prices catalogue --all', { files, yes: true })).out).toContain('1 price written.')
  expect(await json('prices show gpt-y')).toMatchObject({ input: '2', output: '1' })
  expect((await parley('import prices nothing', { files })).code).toBe(1)
  await json('channels delete priced')
})

test('every command has run', () => {
  // These only read files: import-commands.test.ts.
  const alone = ['import new-api', 'import one-api', 'import litellm', 'import portkey']
  expect(commands.map(({ words }) => words).filter((words) => !ran.has(words))).toEqual(alone)
})
