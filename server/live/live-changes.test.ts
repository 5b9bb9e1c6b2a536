import { expect, test } from 'bun:test'
import type { Topic } from '#shared/console/overview'
import type { Changes, MirroredTable, Signals } from '#store/engine/store'
import { handClock } from '#testing/hand-clock'
import { createLiveChanges, mostWatches, type Watcher } from './live-changes.ts'

function workshop() {
  const clock = handClock()
  const listeners = new Map<string, (id: string | undefined) => Promise<void>>()
  const sent: string[] = []
  const heard = new Map<string, (text: string) => void>()
  const changes: Pick<Changes, 'subscribe'> = { subscribe: (table, refresh) => void listeners.set(table, refresh) }
  const signals: Signals = {
    send: (topic, text) => void sent.push(`${topic} ${text}`),
    onSignal(topic, listener) {
      heard.set(topic, listener)
    },
  }
  const live = createLiveChanges({ store: { changes: changes as Changes, signals }, clock })
  return {
    clock,
    live,
    sent,
    change: (table: MirroredTable, id?: string): void => void listeners.get(table)?.(id),
    fromElsewhere: (text: string, topic = 'requests') => heard.get(topic)?.(text),
  }
}

const user = (userId: string, more: Partial<Watcher> = {}): Watcher => ({
  userId,
  isAdmin: () => false,
  isLive: () => true,
  keys: () => [],
  teams: () => [],
  ...more,
})

/** What the watch has reported so far. */
function listen(watch: { next(): Promise<Topic[] | undefined> } | undefined) {
  const told: (Topic[] | undefined)[] = []
  const go = async () => {
    for (;;) {
      const next = await watch?.next()
      told.push(next?.toSorted())
      if (next === undefined) return
    }
  }
  void go()
  return told
}
const turn = async () => {
  for (let n = 0; n < 10; n++) await Promise.resolve()
}

test('changes of a quarter of a second are one event, by subject', async () => {
  const { clock, live, change } = workshop()
  const told = listen(live.watch(user('u1', { isAdmin: () => true })))
  for (let n = 0; n < 100; n++) live.answered('somebody')
  change('prices', 'gpt-5')
  change('channels', 'c1')
  change('alerts')
  expect(told).toEqual([])
  await clock.advance(250)
  await turn()
  expect(told).toEqual([['alerts', 'channels', 'prices', 'requests']])
  await clock.advance(10_000)
  await turn()
  expect(told.length).toBe(1)
})

test('users are notified of their own requests, keys and balance, and of what all share', async () => {
  const { clock, live, change, fromElsewhere } = workshop()
  const keys = new Set(['k1'])
  const told = listen(live.watch(user('u1', { keys: () => keys })))
  const next = async () => {
    await clock.advance(600)
    await turn()
    return told.splice(0).flat()
  }
  live.answered('u2')
  for (const table of ['users', 'accounts', 'api_keys', 'settings', 'alerts'] as const) change(table, 'of-somebody-else')
  expect(await next()).toEqual([])
  live.answered('u1')
  expect(await next()).toEqual(['requests'])
  fromElsewhere('u7,u1')
  expect(await next()).toEqual(['requests'])
  fromElsewhere('*')
  expect(await next()).toEqual(['requests'])
  change('accounts', 'u1')
  expect(await next()).toEqual(['account'])
  change('channels', 'c1')
  expect(await next()).toEqual(['models'])
  // One that is there, one that comes, one that goes.
  change('api_keys', 'k1')
  expect(await next()).toEqual(['keys'])
  change('api_keys', 'k2')
  keys.add('k2')
  expect(await next()).toEqual(['keys'])
  change('api_keys', 'k1')
  keys.delete('k1')
  expect(await next()).toEqual(['keys'])
})

test('members of a team and all administrators are notified of its changes; others are not', async () => {
  const { clock, live, change, fromElsewhere } = workshop()
  const teams = new Set(['team_1'])
  const told = [{ teams: () => teams }, {}, { isAdmin: () => true }].map((more, n) => listen(live.watch(user(`u${n}`, more))))
  const next = async () => {
    await clock.advance(600)
    await turn()
    return told.map((one) => one.splice(0).flat())
  }
  for (const [table, id] of [
    ['teams', 'team_1'],
    ['team_members', 'team_1.u9'],
    ['accounts', 'team_1'],
  ] as const) {
    change(table, id)
    expect([table, await next()]).toEqual([table, [['teams'], [], ['teams']]])
  }
  change('teams', 'team_2')
  expect(await next()).toEqual([[], [], ['teams']])
  live.answered('team_1')
  expect(await next()).toEqual([['requests'], [], ['requests']])
  fromElsewhere('u7,team_1')
  expect(await next()).toEqual([['requests'], [], ['requests']])
  // A dismissed listener is notified, and receives nothing more.
  change('team_members', 'team_1.u0')
  teams.delete('team_1')
  expect(await next()).toEqual([['teams'], [], ['teams']])
  change('accounts', 'team_1')
  live.answered('team_1')
  expect((await next()).slice(0, 2)).toEqual([[], []])
})

test('a replay is announced to its user alone, on every instance', async () => {
  const { clock, live, sent, fromElsewhere } = workshop()
  const [own, administrator] = [listen(live.watch(user('u1'))), listen(live.watch(user('u2', { isAdmin: () => true })))]
  live.replayed('u1')
  await clock.advance(500)
  fromElsewhere('u1', 'replays')
  await clock.advance(500)
  await turn()
  expect([own, administrator, sent]).toEqual([[['replays'], ['replays']], [], ['replays u1']])
})

test('a watch ends with its session, whether something changed or not', async () => {
  for (const changed of [true, false]) {
    const { clock, live, change } = workshop()
    let alive = true
    const told = listen(live.watch(user('u1', { isLive: () => alive })))
    alive = false
    if (changed) change('sessions', 'd1')
    await clock.advance(changed ? 250 : 5_000)
    await turn()
    expect([changed, told]).toEqual([changed, [undefined]])
  }
})

test('one who reads nothing has only subjects waiting, and gets them at once', async () => {
  const { clock, live } = workshop()
  const watch = live.watch(user('u1'))
  for (let n = 0; n < 1_000; n++) {
    live.answered('u1')
    await clock.advance(250)
  }
  expect(await watch?.next()).toEqual(['requests'])
})

test('each user has a bounded number of watches, and a closed one makes room', async () => {
  const { live } = workshop()
  const watches = Array.from({ length: mostWatches }, () => live.watch(user('u1')))
  expect(watches.every((watch) => watch !== undefined)).toBe(true)
  expect(live.watch(user('u1'))).toBeUndefined()
  expect(live.watch(user('u2'))).toBeDefined()
  watches[0]?.close()
  expect(live.watch(user('u1'))).toBeDefined()
})

test('other instances are notified at most twice a second, and all users at once if there are too many', async () => {
  const { clock, live, sent } = workshop()
  for (let n = 0; n < 100; n++) live.answered('u1')
  live.answered('u2')
  await clock.advance(500)
  expect(sent).toEqual(['requests u1,u2'])
  for (let n = 0; n < 2_000; n++) live.answered(`user-${n}`)
  await clock.advance(500)
  expect(sent[1]).toBe('requests *')
})

test('a shutdown ends every watch and begins none', async () => {
  const { live } = workshop()
  const told = listen(live.watch(user('u1')))
  live.close()
  await turn()
  expect(told).toEqual([undefined])
  expect(live.watch(user('u1'))).toBeUndefined()
})
