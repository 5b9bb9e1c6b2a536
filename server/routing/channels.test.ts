import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { systemRandom } from '#runtime/clock'
import type { Log } from '#runtime/log'
import { sealer } from '#runtime/secrets'
import type { NewChannel } from '#shared/console/channel'
import { type ErrorCode, GatewayError } from '#shared/errors'
import { sampledEngines, type Throwaway, throwawayDatabase } from '#testing/database/database'
import { dumpTables, runSql } from '#testing/database/tables'
import { handClock } from '#testing/hand-clock'
import { vendors } from '#vendors/index'
import { type ChannelRegistry, createChannels } from './channels.ts'
import type { DemoMode } from './demo-channel.ts'

const by = { id: 'someone', name: 'Someone' }

const secret = 'sk-upstream-0123456789-Ab3d'
const plain: NewChannel = { name: 'main', vendor: 'openai', keys: [secret], models: ['gpt-5'] }

let database: Throwaway
let lines: string[] = []
const note = (_fields: object, message: string) => void lines.push(message)
const log: Log = { debug: note, info: note, warn: note, error: note }

describe.each(sampledEngines(import.meta.file))('on %s', (engine) => {
  beforeAll(async () => {
    database = await throwawayDatabase(engine)
  })
  afterAll(() => database.close())
  beforeEach(async () => {
    lines = []
    await runSql(database.store, `truncate channels cascade`)
  })

  function registry(demo: DemoMode = 'off', masterKey = 'ab'.repeat(32)): Promise<ChannelRegistry> {
    const rules = {
      assertAddress: (url: string) => {
        if (url.includes('169.254')) throw new GatewayError('invalid_value', 'No.', { param: 'baseUrl' })
      },
      assertProxy: () => undefined,
      assertTls: () => undefined,
      assertPrice: (fields: object) => {
        if (Object.keys(fields).length === 0) throw new GatewayError('missing_field', 'Nothing.')
      },
      groupExists: (name: string) => ['default', 'vip'].includes(name),
    }
    return createChannels({ store: database.store, clock: handClock(), random: systemRandom, log, sealer: sealer(masterKey), demo, rules })
  }

  async function refusal(work: Promise<unknown> | (() => unknown)): Promise<[ErrorCode, string | undefined]> {
    try {
      await (typeof work === 'function' ? work() : work)
    } catch (thrown) {
      if (thrown instanceof GatewayError) return [thrown.code, thrown.param]
      throw thrown
    }
    throw new Error('not refused')
  }

  /** The content of the tables, as text. */
  const dump = () => dumpTables(database.store, ['channels', 'channel_keys'])

  describe('a channel of the console', () => {
    test('keeps secrets outside its keys sealed, shows a hint, and takes the hint back', async () => {
      const channels = await registry()
      const baseUrl = 'https://proxy.example/v1?token=first-secret'
      const given = {
        ...plain,
        baseUrl,
        headers: { 'x-portkey-api-key': 'second-secret', 'x-team': 'a' },
        options: { clientSecret: 'third-secret' },
      }
      const row = await channels.create(by, given)
      const tables = ['channels', 'channel_keys', 'audit']
      expect(await dumpTables(database.store, tables)).not.toMatch(/(first|second|third)-secret/)
      expect(JSON.stringify(row)).not.toMatch(/(first|second|third)-secret/)
      const { headers, options } = await channels.patch(by, row.id, { headers: { ...row.headers, 'x-team': 'b' }, options: row.options })
      expect([headers, options]).toEqual([{ ...row.headers, 'x-team': 'b' }, row.options])
      expect(channels.get(row.id)).toMatchObject({ baseUrl, headers: { ...given.headers, 'x-team': 'b' }, options: given.options })
      expect((await registry()).get(row.id)).toMatchObject({ baseUrl, options: given.options })
      expect(await dumpTables(database.store, tables)).not.toMatch(/(first|second|third)-secret/)

      // As an earlier version stored it.
      await runSql(database.store, `update channels set options = '{"clientSecret":"plain-secret"}'`)
      expect((await registry()).get(row.id)?.options).toEqual({ clientSecret: 'plain-secret' })
      expect(await dumpTables(database.store, tables)).not.toContain('plain-secret')
      // Another master key opens nothing.
      expect((await registry('off', 'cd'.repeat(32))).get(row.id)?.enabled).toBe(false)
    })

    test('is answered with defaults filled in and read back from the database by another instance', async () => {
      const channels = await registry()
      const row = await channels.create(by, plain)
      expect(row).toMatchObject({
        name: 'main',
        vendor: 'openai',
        baseUrl: 'https://api.openai.com/v1',
        groups: ['default'],
        models: ['gpt-5'],
        speaks: [...vendors.openai.speaks],
        operations: ['generate', 'embed', 'image', 'video', 'transcribe', 'speak', 'moderate', 'realtime', 'compact', 'search'],
        priority: 0,
        weight: 1,
        enabled: true,
        systemPrompt: null,
        headers: {},
        managed: 'console',
        keys: [{ name: 'key 1', hint: 'sk-...Ab3d', weight: 1, enabled: true }],
      })
      expect(row.createdAt).toBe('2026-01-01T00:00:00.000Z')
      const again = await registry()
      expect(again.row(row.id)).toEqual(row)
      expect(again.get(row.id)?.keys[0]?.secret).toBe(secret)
    })

    test('with a blank prompt has none', async () => {
      const channels = await registry()
      const row = await channels.create(by, { ...plain, systemPrompt: 'Be brief.' })
      expect(channels.get(row.id)?.systemPrompt).toBe('Be brief.')
      for (const systemPrompt of ['', ' \n']) {
        expect((await channels.patch(by, row.id, { systemPrompt })).systemPrompt).toBe(null)
        expect(channels.get(row.id)?.systemPrompt).toBe(null)
        expect((await registry()).get(row.id)?.systemPrompt).toBe(null)
      }
    })

    test('keeps its secrets out of the tables and out of every answer', async () => {
      const channels = await registry()
      const row = await channels.create(by, { ...plain, keys: [secret, { key: 'short', name: 'b', weight: 3 }] })
      const tables = await dump()
      expect(tables).toContain('v1.')
      for (const text of [tables, JSON.stringify(channels.rows()), JSON.stringify(row)]) {
        expect(text).not.toContain(secret)
        expect(text).not.toContain(secret.slice(3, 20))
        expect(text).not.toContain('short')
      }
      expect(row.keys.map((key) => key.hint)).toEqual(['sk-...Ab3d', '...'])
    })

    test('keeps twelve keys in the order given', async () => {
      const channels = await registry()
      const keys = Array.from({ length: 12 }, (_, i) => `sk-number-${i}-of-twelve`)
      const { id } = await channels.create(by, { ...plain, keys })
      expect((await registry()).get(id)?.keys.map((key) => key.secret)).toEqual(keys)
    })

    test.each<[string, Partial<NewChannel>, ErrorCode, string]>([
      ['no key where the vendor needs one', { keys: [] }, 'missing_field', 'keys'],
      ['no address where the vendor has none', { vendor: 'openai-compatible' }, 'missing_field', 'baseUrl'],
      ['an address that is refused', { baseUrl: 'http://169.254.169.254/v1' }, 'invalid_value', 'baseUrl'],
      ['a group that does not exist', { groups: ['default', 'nobody'] }, 'invalid_value', 'groups.1'],
      ['a model twice', { models: ['a', { name: 'a', upstream: 'b' }] }, 'invalid_value', 'models.1'],
      ['a cost that says nothing', { costs: { a: {} } }, 'missing_field', 'costs'],
      ['a Host header', { headers: { Host: 'elsewhere' } }, 'invalid_value', 'headers.Host'],
      ['a metadata header', { headers: { 'Metadata-Flavor': 'Google' } }, 'invalid_value', 'headers.Metadata-Flavor'],
      ['a secret in a header', { headers: { authorization: 'Bearer x' } }, 'invalid_value', 'headers.authorization'],
      ['a name on the prototype', { options: { constructor: 'x' } as Record<string, string> }, 'invalid_value', 'options'],
      ['a parameter on the prototype', { params: { set: JSON.parse('{"__proto__": {"a": 1}}') } }, 'invalid_value', 'params.set'],
    ])('%s is refused', async (_name, change, code, param) => {
      const channels = await registry()
      expect(await refusal(channels.create(by, { ...plain, ...change }))).toEqual([code, param])
      expect(channels.rows()).toEqual([])
    })

    test('needs a name of its own, also when two are made at once', async () => {
      const channels = await registry()
      const results = await Promise.allSettled([channels.create(by, plain), channels.create(by, plain)])
      expect(results.map((result) => result.status).sort()).toEqual(['fulfilled', 'rejected'])
      expect(await refusal(channels.create(by, plain))).toEqual(['name_taken', 'name'])
      const other = await channels.create(by, { ...plain, name: 'other' })
      expect(await refusal(channels.patch(by, other.id, { name: 'main' }))).toEqual(['name_taken', 'name'])
      expect((await channels.patch(by, other.id, { name: 'other', weight: 5 })).weight).toBe(5)
    })

    test('a patch leaves what it does not name, and empty lists and maps are said, not absent', async () => {
      const channels = await registry()
      const { id } = await channels.create(by, { ...plain, priority: 7, headers: { 'x-team': 'a' }, tags: ['t'] })
      const row = await channels.patch(by, id, { headers: {}, enabled: false })
      expect(row).toMatchObject({ priority: 7, headers: {}, tags: ['t'], enabled: false, keys: [{ hint: 'sk-...Ab3d' }] })
      expect(channels.get(id)?.keys[0]?.secret).toBe(secret)
    })

    test('a key gets another name and weight or is switched off, and stays the key that it is', async () => {
      const channels = await registry()
      const { id, keys } = await channels.create(by, {
        ...plain,
        keys: [secret, { key: 'sk-second-of-two-Wxyz', name: 'spare', weight: 0 }],
      })
      expect(keys.map(({ name, weight }) => [name, weight])).toEqual([
        ['key 1', 1],
        ['spare', 0],
      ])
      const [first = '', second = ''] = keys.map((key) => key.id)
      expect((await channels.patchKey(by, id, second, { name: 'main', weight: 7 })).keys[1]).toEqual({
        ...{ id: second, name: 'main', hint: 'sk-...Wxyz', weight: 7, enabled: true },
      })
      await channels.patchKey(by, id, first, { enabled: false })
      expect((await registry()).get(id)?.keys.map(({ secret, weight, enabled }) => [secret, weight, enabled])).toEqual([
        [secret, 1, false],
        ['sk-second-of-two-Wxyz', 7, true],
      ])
      expect(await refusal(channels.patchKey(by, id, first, { name: 'main' }))).toEqual(['invalid_value', 'name'])
      expect((await refusal(channels.patchKey(by, id, 'ck_none', { weight: 2 })))[0]).toBe('not_found')
    })

    test('keys come and go beside those that stay', async () => {
      const channels = await registry()
      const { id, keys: before } = await channels.create(by, { ...plain, keys: ['sk-first-of-three-0001', 'sk-second-of-three-0002'] })
      const [first, second] = before
      await channels.patchKey(by, id, second?.id ?? '', { weight: 5, enabled: false })
      const changed = await channels.patch(by, id, { addKeys: ['sk-third-of-three-0003'], removeKeys: [first?.id ?? ''] })
      // By name: keys added in the same millisecond have no order.
      expect(changed.keys.map(({ name, hint, weight, enabled }) => [name, hint, weight, enabled]).sort()).toEqual([
        ['key 2', 'sk-...0002', 5, false],
        ['key 3', 'sk-...0003', 1, true],
      ])
      expect(
        (await registry())
          .get(id)
          ?.keys.map(({ secret }) => secret)
          .sort(),
      ).toEqual(['sk-second-of-three-0002', 'sk-third-of-three-0003'])
      const refused = async (fields: Parameters<typeof channels.patch>[2]) => refusal(channels.patch(by, id, fields))
      expect(await refused({ addKeys: [{ key: 'sk-x', name: 'key 2' }] })).toEqual(['invalid_value', 'addKeys.0.name'])
      expect(await refused({ removeKeys: [first?.id ?? ''] })).toEqual(['invalid_value', 'removeKeys.0'])
      expect(await refused({ removeKeys: changed.keys.map((key) => key.id) })).toEqual(['missing_field', 'removeKeys'])
      expect(await refused({ addKeys: ['sk-x'], keys: ['sk-y'] })).toEqual(['invalid_value', 'keys'])
      // An added key does not count as entering the keys again.
      expect(await refused({ addKeys: ['sk-x'], baseUrl: 'https://elsewhere.example/v1' })).toEqual(['key_required', 'keys'])
    })

    test('another host asks for the secrets beside the keys again, however they are written', async () => {
      const channels = await registry()
      const baseUrl = 'https://here.example/v1?api-key=query-secret'
      const { id, ...shown } = await channels.create(by, { ...plain, baseUrl, headers: { 'x-team-key': 'header-secret' } })
      const keys = ['sk-of-somebody-else']
      const elsewhere = shown.baseUrl?.replace('here.example', 'elsewhere.example') ?? ''
      const plainly = 'https://elsewhere.example/v1'
      expect(await refusal(channels.patch(by, id, { baseUrl: elsewhere, keys, headers: {} }))).toEqual(['key_required', 'baseUrl'])
      expect(await refusal(channels.patch(by, id, { baseUrl: plainly, keys }))).toEqual(['key_required', 'baseUrl'])
      await channels.patch(by, id, { baseUrl: plainly, keys, headers: { 'x-team-key': 'another-secret' } })
      expect(channels.get(id)?.headers).toEqual({ 'x-team-key': 'another-secret' })
    })

    test('another address asks for the keys again, the same address does not', async () => {
      const channels = await registry()
      const { id } = await channels.create(by, plain)
      expect(await refusal(channels.patch(by, id, { baseUrl: 'https://elsewhere.example/v1' }))).toEqual(['key_required', 'keys'])
      expect((await channels.patch(by, id, { baseUrl: 'https://api.openai.com/v1' })).keys).toHaveLength(1)
      const moved = await channels.patch(by, id, { baseUrl: 'https://elsewhere.example/v1', keys: ['sk-another-key-9999'] })
      expect(moved).toMatchObject({ baseUrl: 'https://elsewhere.example/v1', keys: [{ hint: 'sk-...9999' }] })
      expect(channels.get(id)?.keys.map((key) => key.secret)).toEqual(['sk-another-key-9999'])
      expect(await refusal(channels.patch(by, id, { keys: [] }))).toEqual(['missing_field', 'keys'])
    })

    test('is gone when it is deleted, with its keys', async () => {
      const channels = await registry()
      const { id } = await channels.create(by, plain)
      await channels.remove(by, id)
      expect(await refusal(() => channels.row(id))).toEqual(['not_found', undefined])
      expect(await refusal(channels.patch(by, id, {}))).toEqual(['not_found', undefined])
      expect(await dump()).not.toContain('v1.')
    })
  })

  test('a key that cannot be opened is shown but never used, and the rest goes on', async () => {
    const { id } = await (await registry()).create(by, {
      name: 'open',
      vendor: 'openai-compatible',
      baseUrl: 'http://127.0.0.1:9',
      keys: [secret],
      models: ['m'],
    })
    const channels = await registry('off', 'cd'.repeat(32))
    expect(lines.join()).toContain('cannot be decrypted')
    expect(channels.get(id)?.keys).toMatchObject([{ enabled: false, secret: '' }])
    expect(channels.row(id).keys).toMatchObject([{ hint: 'sk-...Ab3d', enabled: false }])
    expect(channels.offering('default', 'm')).toHaveLength(1)
  })

  test('sealed keys that change places do not open', async () => {
    const channels = await registry()
    await channels.create(by, { ...plain, name: 'a', keys: ['sk-first-secret-1'] })
    await channels.create(by, { ...plain, name: 'b', keys: ['sk-second-secret-2'] })
    await runSql(database.store, `update channel_keys k set sealed = o.sealed from channel_keys o where o.id <> k.id`)
    const again = await registry()
    expect([...again.all()].flatMap((channel) => channel.keys.map((key) => key.secret))).toEqual(['', ''])
  })

  describe('what is offered', () => {
    test('by group and model, enabled channels only, current after every change', async () => {
      const channels = await registry()
      const a = await channels.create(by, { ...plain, name: 'a', models: ['z', 'm'], groups: ['default', 'vip'] })
      const b = await channels.create(by, {
        ...plain,
        name: 'b',
        models: [{ name: 'm', upstream: 'gpt-5', capabilities: { tools: false } }],
      })
      const names = (group: string, model: string) => channels.offering(group, model).map((channel) => channel.name)
      expect(names('default', 'm')).toEqual(['a', 'b'])
      expect(names('vip', 'm')).toEqual(['a'])
      expect(names('default', 'toString')).toEqual([])
      expect(names('nobody', 'm')).toEqual([])
      expect(channels.modelsOf('default')).toEqual(['m', 'z'])
      expect(channels.get(b.id)?.models.get('m')).toMatchObject({
        upstream: 'gpt-5',
        capabilities: { tools: false, vision: true, contextTokens: 400_000 },
      })
      await channels.patch(by, a.id, { enabled: false })
      expect(names('default', 'm')).toEqual(['b'])
      expect(channels.modelsOf('vip')).toEqual([])
      await channels.remove(by, b.id)
      expect(channels.modelsOf('default')).toEqual([])
    })
  })

  describe('the demo channel', () => {
    test('auto: there until the first other channel, and back when the last is gone', async () => {
      const channels = await registry('auto')
      expect(channels.demo()).toBe(true)
      expect(channels.rows()).toMatchObject([
        { id: 'demo', name: 'demo', managed: 'file', vendor: 'demo', baseUrl: null, models: expect.arrayContaining(['parley-demo']) },
      ])
      expect(channels.modelsOf('default')).toContain('parley-demo')
      expect(await refusal(channels.patch(by, 'demo', { weight: 2 }))).toEqual(['managed_by_file', undefined])
      expect(await refusal(channels.remove(by, 'demo'))).toEqual(['managed_by_file', undefined])
      const { id } = await channels.create(by, { ...plain, name: 'demo' })
      expect(channels.demo()).toBe(false)
      expect(channels.offering('default', 'parley-demo')).toEqual([])
      expect(channels.get('demo')).toBeUndefined()
      await channels.remove(by, id)
      expect(channels.offering('default', 'parley-demo')).toHaveLength(1)
    })

    test('on and off', async () => {
      const on = await registry('on')
      await on.create(by, plain)
      expect(on.rows().map((row) => row.name)).toEqual(['demo', 'main'])
      expect(await refusal(on.create(by, { ...plain, name: 'demo' }))).toEqual(['name_taken', 'name'])
      expect((await registry('off')).modelsOf('default')).toEqual(['gpt-5'])
    })
  })

  describe('channels of the file', () => {
    const declared: NewChannel[] = [
      plain,
      { ...plain, name: 'second', keys: [{ key: secret, name: 'n', weight: 2 }], params: { set: { b: 1, a: [{ d: 1, c: 2 }] } } },
    ]

    test('declared again nothing is written, also after a restart', async () => {
      const channels = await registry()
      await channels.declare(declared)
      const before = await dump()
      expect(channels.rows().map((row) => [row.name, row.managed])).toEqual([
        ['main', 'file'],
        ['second', 'file'],
      ])
      await channels.declare(declared)
      await (await registry()).declare(structuredClone(declared))
      expect(await dump()).toBe(before)
    })

    test('follow the file, keep their id, are disabled when they leave it and come back', async () => {
      const channels = await registry()
      await channels.declare(declared)
      const id = channels.rows()[0]?.id
      await channels.declare([{ ...plain, keys: ['sk-renewed-key-4242'], weight: 9 }])
      expect(channels.rows()).toMatchObject([
        { id, name: 'main', weight: 9, keys: [{ hint: 'sk-...4242' }] },
        { name: 'second', enabled: false },
      ])
      await channels.declare(declared)
      expect(channels.rows()).toMatchObject([
        { id, weight: 1, keys: [{ hint: 'sk-...Ab3d' }] },
        { name: 'second', enabled: true },
      ])
      await channels.declare([])
      expect(channels.modelsOf('default')).toEqual([])
    })

    test('are read-only in the console', async () => {
      const channels = await registry()
      await channels.declare([plain])
      const id = channels.rows()[0]?.id ?? ''
      expect(await refusal(channels.patch(by, id, { weight: 2 }))).toEqual(['managed_by_file', undefined])
      expect(await refusal(channels.remove(by, id))).toEqual(['managed_by_file', undefined])
    })

    test('never touch what the console made; a fault is found before anything is written', async () => {
      const channels = await registry()
      const { id } = await channels.create(by, { ...plain, name: 'mine' })
      expect(await refusal(channels.declare([plain, { ...plain, name: 'mine' }]))).toEqual(['name_taken', '1.name'])
      expect(await refusal(channels.declare([plain, { ...plain, name: 'b', groups: ['nobody'] }]))).toEqual(['invalid_value', '1.groups.0'])
      expect(channels.rows().map((row) => row.id)).toEqual([id])
      await channels.declare([])
      expect(channels.row(id).enabled).toBe(true)
    })
  })
})
