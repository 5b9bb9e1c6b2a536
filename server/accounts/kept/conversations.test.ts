import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createAccounts } from '#accounts/accounts'
import type { User } from '#accounts/caller'
import { systemRandom as random } from '#runtime/clock'
import { sealer } from '#runtime/secrets'
import type { GatewayError } from '#shared/errors'
import { findKept, findShare } from '#store/accounts/conversations'
import { sampledEngines, type Throwaway, throwawayDatabase } from '#testing/database/database'
import { handClock } from '#testing/hand-clock'
import { makePasswordsCheap } from '#testing/program/cheap-passwords'
import { createUserConversations } from './conversations.ts'

afterAll(makePasswordsCheap())

let base: Throwaway
const [engine = 'embedded'] = sampledEngines(import.meta.file)
beforeAll(async () => {
  base = await throwawayDatabase(engine)
}, 60_000)
afterAll(() => base.close())

const day = 86_400_000
const failure = (work: Promise<unknown>) =>
  work.then(
    () => 'it succeeded',
    ({ code, message }: GatewayError) => `${code}: ${message}`,
  )

test('conversations are kept sealed for their owner; links are read by whoever has them, while they hold', async () => {
  const { store } = base
  const clock = handClock()
  const accounts = await createAccounts({
    store,
    clock,
    random,
    quotas: () => ({ keys: 9, modelsPerKey: 9, conversations: 9, conversationBytes: 9 }),
  })
  const root = (await accounts.ensureAdmin('root', 'correct horse'))?.user as User
  const ann = await accounts.users.create(root, { name: 'ann' })
  const eve = await accounts.users.create(root, { name: 'eve' })
  let sharing = false
  let most = { conversations: 3, conversationBytes: 10_000 }
  const conversations = createUserConversations({
    ...{ store, clock, random },
    sealer: sealer('a'.repeat(64)),
    sharing: () => sharing,
    quotas: () => most,
    alsoStored: async () => ({ count: 1, bytes: 100 }),
    isEnabled: (id) => accounts.users.get(id)?.enabled ?? false,
  })
  const at = (ms: number) => new Date(clock.now() + ms).toISOString()

  await conversations.keep(ann, 'c1', { changedAt: at(0), text: 'what ann asked' })
  await conversations.keep(ann, 'c1', { changedAt: at(-1), text: 'an older one' })
  expect((await conversations.read(ann, 'c1')).text).toBe('what ann asked')
  await conversations.keep(ann, 'c1', { changedAt: at(1), text: 'a newer one' })
  expect((await conversations.read(ann, 'c1')).text).toBe('a newer one')
  expect(await failure(conversations.read(eve, 'c1'))).toStartWith('not_found')
  expect(await failure(conversations.read(ann, 'no such\u0000id'))).toStartWith('not_found')
  expect(await conversations.kept(eve)).toEqual([])

  expect(await failure(conversations.share(ann, { title: 't', text: 'x', days: 7 }))).toStartWith('not_permitted')
  sharing = true
  const link = await conversations.share(ann, { title: 'For all', text: 'to be read', days: 7 })
  expect(link.id).toMatch(/^\w{22}$/)
  expect(await conversations.shared(link.id)).toMatchObject({ title: 'For all', text: 'to be read' })
  // One elsewhere, one kept, one link.
  expect(await failure(conversations.keep(ann, 'c2', { changedAt: at(0), text: 'x' }))).toStartWith('quota_exceeded')
  expect(await failure(conversations.keep(ann, 'c1', { changedAt: at(2), text: 'still there' }))).toBe('it succeeded')
  most = { conversations: 9, conversationBytes: 500 }
  expect(await failure(conversations.keep(ann, 'c2', { changedAt: at(0), text: 'x'.repeat(500) }))).toStartWith('quota_exceeded')

  const always = new Date(0)
  const rows = [await findKept(store, ann.id, 'c1'), await findShare(store, link.id, always)]
  for (const row of rows) expect(JSON.stringify(row)).not.toMatch(/ann asked|still there|to be read/)

  await conversations.unshare(eve, link.id)
  expect((await conversations.shares(ann)).length).toBe(1)
  sharing = false
  expect(await failure(conversations.shared(link.id))).toStartWith('not_found')
  sharing = true
  await accounts.users.change(root, ann.id, { enabled: false })
  expect(await failure(conversations.shared(link.id))).toStartWith('not_found')
  await accounts.users.change(root, ann.id, { enabled: true })
  expect(await failure(conversations.shared(link.id))).toBe('it succeeded')
  await clock.advance(7 * day)
  expect(await failure(conversations.shared(link.id))).toStartWith('not_found')
  await conversations.sweep()
  expect(await findShare(store, link.id, always)).toBeUndefined()

  const second = await conversations.share(ann, { title: 'Again', text: 'y', days: 1 })
  await conversations.unshare(ann, second.id)
  expect(await failure(conversations.shared(second.id))).toStartWith('not_found')
  await conversations.forget(ann, 'c1')
  expect(await conversations.kept(ann)).toEqual([])
})
