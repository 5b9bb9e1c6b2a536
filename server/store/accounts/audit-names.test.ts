import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { apiKeys, channels, managementKeys, plans, teams, users } from '#db/schema'
import { sampledEngines, type Throwaway, throwawayDatabase } from '#testing/database/database'
import { countStatements } from '#testing/database/statements'
import { namesInAudit } from './audit-names.ts'

const idOf = (n: number) => n.toString(16).padStart(24, '0')
const [ann, key, managing, plan, gone] = [1, 2, 3, 4, 5].map(idOf) as [string, string, string, string, string]
const [team, channel] = [`team_${idOf(6)}`, `ch_${idOf(7)}`]
const createdAt = new Date(0)

describe.each(sampledEngines(import.meta.file))('names in the audit trail on %s', (engine) => {
  let base: Throwaway
  beforeAll(async () => {
    base = await throwawayDatabase(engine)
    const { db } = base.store
    const named = (id: string, name: string) => ({ id, name, groups: ['default'], createdAt })
    await db.insert(users).values(named(ann, 'Ann'))
    await db.insert(teams).values(named(team, 'apps'))
    await db.insert(apiKeys).values({ ...{ id: key, userId: ann, name: 'ci', digest: 'd1', hint: 'h' }, createdAt })
    await db
      .insert(managementKeys)
      .values({ ...{ id: managing, userId: ann, name: 'terraform', digest: 'd2', hint: 'h', scopes: [], role: 'user' }, createdAt })
    await db.insert(plans).values({ ...{ id: plan, name: 'pro', windows: [] }, createdAt })
    await db.insert(channels).values({ ...named(channel, 'main'), vendor: 'openai', models: [], tags: [] })
  }, 60_000)
  afterAll(() => base.close())

  test('every row gets the names of its own ids, wherever they stand, by one question for all rows', async () => {
    const statements = countStatements(base.store)
    const rows = [
      { target: `${team}.${ann}`, before: { teamId: team }, after: null },
      { target: 'x', before: null, after: { createdBy: ann, list: [{ deep: key }, `by ${managing}, for ${plan}`], [channel]: 1 } },
      { target: gone, before: null, after: { digest: `${ann}${ann}`, name: 'Ann' } },
      { target: 'y', before: null, after: null },
    ]
    expect(await namesInAudit(base.store, rows)).toEqual([
      { [team]: { kind: 'team', name: 'apps' }, [ann]: { kind: 'user', name: 'Ann' } },
      {
        [ann]: { kind: 'user', name: 'Ann' },
        [key]: { kind: 'key', name: 'ci' },
        [managing]: { kind: 'managementKey', name: 'terraform' },
        [plan]: { kind: 'plan', name: 'pro' },
        [channel]: { kind: 'channel', name: 'main' },
      },
      {},
      {},
    ])
    expect(statements.sent()).toBe(1)
    const many = Array.from({ length: 200 }, (_, n) => ({ target: idOf(1_000 + n), before: { id: ann }, after: { id: idOf(5_000 + n) } }))
    expect((await namesInAudit(base.store, many)).every((names) => names[ann]?.name === 'Ann' && Object.keys(names).length === 1)).toBe(
      true,
    )
    expect(statements.sent()).toBe(2)
    expect(await namesInAudit(base.store, [{ target: 'default', before: null, after: { name: 'x' } }])).toEqual([{}])
    expect(statements.sent()).toBe(2)
    statements.stop()
  })
})
