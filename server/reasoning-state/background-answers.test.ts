import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { sealer } from '#runtime/secrets'
import { createUser } from '#store/accounts/users'
import { sampledEngines, type Throwaway, throwawayDatabase } from '#testing/database/database'
import { dumpTables } from '#testing/database/tables'
import { handClock } from '#testing/hand-clock'
import { createBackgroundAnswers } from './background-answers.ts'

describe.each(sampledEngines(import.meta.file))('answers in the background on %s', (engine) => {
  let base: Throwaway
  const clock = handClock()
  const one = () => createBackgroundAnswers({ store: base.store, sealer: sealer('ab'.repeat(32)), clock })
  beforeAll(async () => {
    base = await throwawayDatabase(engine)
    const fields = { role: 'user' as const, passwordHash: null, group: 'default', groups: ['default'], budget: null, limits: null }
    for (const id of ['ann', 'bob']) {
      const user = { ...fields, id, name: id, enabled: true, managed: 'console' as const, createdAt: new Date(clock.now()) }
      await createUser(base.store, { user })
    }
  }, 60_000)
  afterAll(() => base.close())
  const exchange = { turns: [], items: [{ said: 'a secret' }], response: { status: 'in_progress' } }

  test('belong to their user, sealed, until they end', async () => {
    await one().begin('ann', 'resp_1', exchange)
    expect(await one().find('ann', 'resp_1')).toMatchObject({ ...exchange, cancelled: false, isAbandoned: false })
    for (const [tenant, id] of [
      ['bob', 'resp_1'],
      ['ann', 'resp_2'],
      ['ann', 'resp_\u0000'],
    ] as const) {
      expect([await one().find(tenant, id), await one().cancel(tenant, id)]).toEqual([undefined, undefined])
    }
    expect(JSON.stringify(await dumpTables(base.store, ['background_responses']))).not.toContain('a secret')
    expect([await one().end('bob', 'resp_1'), await one().end('ann', 'resp_1'), await one().end('ann', 'resp_1')]).toEqual([
      false,
      true,
      false,
    ])
  })

  test('run while a process sends heartbeats, and that process is notified of a cancellation', async () => {
    await one().begin('ann', 'resp_3', exchange)
    await clock.advance(15_000)
    expect(await one().beat(['resp_3', 'resp_4'])).toEqual([])
    await clock.advance(15_000)
    expect([await one().abandoned(), (await one().find('ann', 'resp_3'))?.isAbandoned]).toEqual([[], false])
    expect(await one().cancel('ann', 'resp_3')).toMatchObject({ cancelled: true })
    expect(await one().beat(['resp_3'])).toEqual(['resp_3'])
    await clock.advance(21_000)
    expect(await one().abandoned()).toMatchObject([{ tenant: 'ann', id: 'resp_3', cancelled: true, isAbandoned: true }])
    await one().end('ann', 'resp_3')
    expect([await one().abandoned(), await one().beat([])]).toEqual([[], []])
  })
})
