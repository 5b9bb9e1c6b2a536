/** parley.yaml as a start applies it, by services on a draft of the database: large files too, with few statements. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { applyDeclaration } from '#declare/apply'
import { readDeclaration } from '#declare/declaration'
import { systemClock as clock, systemRandom as random } from '#runtime/clock'
import type { Log } from '#runtime/log'
import { sealer } from '#runtime/secrets'
import { type AuditRecord, pageAudit } from '#store/accounts/audit'
import type { Store } from '#store/engine/store'
import { wrongBooks } from '#testing/books/invariants'
import { sampledEngines, type Throwaway, throwawayDatabase } from '#testing/database/database'
import { countStatements, type Statements } from '#testing/database/statements'
import { openRooms, together } from './services.ts'

const log: Log = { debug() {}, info() {}, warn() {}, error() {} }
const count = 150
const numbers = Array.from({ length: count }, (_, number) => number)

/** `changed`: this many rows of each kind are different. */
const config = (changed = 0, more: object = {}) =>
  JSON.stringify({
    groups: { vip: { ratio: '0.8' } },
    channels: numbers.map((number) => ({
      ...{ name: `c${number}`, vendor: 'openai-compatible', baseUrl: 'http://127.0.0.1:1', keys: [`sk-vendor-${number}`] },
      ...{ models: [`m${number}`], weight: number < changed ? 2 : 1 },
    })),
    prices: Object.fromEntries(numbers.map((number) => [`m${number}`, { input: number < changed ? '2' : '1', output: '0' }])),
    users: numbers.map((number) => ({ name: `u${number}`, group: 'vip', balance: '5', limits: { rpm: number < changed ? 7 : 6 } })),
    keys: numbers.map((number) => ({ name: `k${number}`, user: `u${number}`, key: `sk-of-user-${number}`, strict: number < changed })),
    ...more,
  })

describe.each(sampledEngines(import.meta.file))('a large file on %s', (engine) => {
  let base: Throwaway
  let store: Store
  let rooms: (on: Store) => ReturnType<typeof openRooms>
  beforeEach(async () => {
    base = await throwawayDatabase(engine)
    store = base.store
    const parts = { clock, random, log, sealer: sealer('0'.repeat(64)), demo: 'off' as const, publicUrl: new URL('http://localhost') }
    rooms = (on) => openRooms({ ...parts, store: on })
  }, 60_000)
  afterEach(() => base.close())

  /** How many statements it took, those that open the rooms left out. */
  async function apply(text: string): Promise<number> {
    let counted: Statements | undefined
    const open = async (draft: Store) => {
      const opened = await rooms(draft)
      counted = countStatements(draft)
      return opened
    }
    await together(store, clock, open)((to) => applyDeclaration(readDeclaration(text, {}), to))
    return counted?.sent() ?? 0
  }

  async function trail(): Promise<AuditRecord[]> {
    const rows: AuditRecord[] = []
    let after: string | undefined
    do {
      const page = await pageAudit(store, { limit: 200, ...(after !== undefined && { after }) })
      rows.push(...page.rows)
      after = page.next ?? undefined
    } while (after !== undefined)
    return rows
  }
  const actions = (rows: readonly AuditRecord[]) =>
    Object.fromEntries([...Map.groupBy(rows, ({ action }) => action)].map(([action, all]) => [action, all.length]))

  test('takes a handful of statements, leaves one row of the trail for each change, and none for what is as it was', async () => {
    const first = await apply(config())
    expect([first > 20, first < 60]).toEqual([true, true])
    const made = (await trail()).filter(({ action }) => action !== 'settings.change')
    expect(actions(made)).toEqual({
      ...{ 'group.create': 1, 'channel.create': count, 'price.put': count, 'user.create': count, 'user.grant': count, 'key.create': count },
    })
    expect(new Set(made.map(({ action, target }) => `${action} ${target}`)).size).toBe(made.length)
    expect(made.every(({ actor, before }) => actor === 'file' && before === null)).toBe(true)
    const { accounts, channels, prices } = await rooms(store)
    expect([...channels.all()].length).toBe(count)
    expect(prices.get('m149')?.fields).toEqual({ input: '1', output: '0' })
    expect(accounts.admitKey('sk-of-user-149').user.name).toBe('u149')
    const users = [...accounts.users.all()]
    expect((await accounts.users.rows(users)).every(({ balance }) => balance === '5')).toBe(true)
    expect(await wrongBooks(store)).toEqual([])

    expect(await apply(config())).toBeLessThan(20)
    const again = await trail()
    expect(actions(again)['settings.change'] ?? 0).toBeLessThan(2)
    expect(again.filter(({ action }) => action !== 'settings.change')).toEqual(made)

    expect(await apply(config(3))).toBeLessThan(60)
    const later = await trail()
    expect(actions(later.slice(0, later.length - again.length))).toEqual({
      ...{ 'channel.change': 3, 'price.put': 3, 'user.change': 3, 'key.change': 3 },
    })
    expect(later.find(({ action, targetName }) => action === 'user.change' && targetName === 'u2')).toMatchObject({
      ...{ before: { limits: { rpm: 6 } }, after: { limits: { rpm: 7 } } },
    })

    await apply(config(3, { channels: [], users: [], keys: [] }))
    const last = await trail()
    const left = last.slice(0, last.length - later.length)
    expect(actions(left)).toEqual({ 'channel.change': count, 'user.change': count, 'key.change': count })
    expect(left.every(({ before, after }) => before?.enabled === true && after?.enabled === false)).toBe(true)
  }, 120_000)
})
