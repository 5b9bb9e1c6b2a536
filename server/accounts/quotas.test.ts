import { afterAll, beforeAll, expect, test } from 'bun:test'
import { systemRandom as random } from '#runtime/clock'
import type { GatewayError } from '#shared/errors'
import { sampledEngines, type Throwaway, throwawayDatabase } from '#testing/database/database'
import { handClock } from '#testing/hand-clock'
import { makePasswordsCheap } from '#testing/program/cheap-passwords'
import { createAccounts } from './accounts.ts'
import type { User } from './caller.ts'

afterAll(makePasswordsCheap())

let base: Throwaway
const [engine = 'embedded'] = sampledEngines(import.meta.file)
beforeAll(async () => {
  base = await throwawayDatabase(engine)
}, 60_000)
afterAll(() => base.close())

const failure = (work: Promise<unknown>) =>
  work.then(
    () => 'it succeeded',
    ({ code, message }: GatewayError) => `${code}: ${message}`,
  )

test('a user has so many keys and a key so many models, however many are asked for at once; the file’s do not count', async () => {
  const quotas = { keys: 5, modelsPerKey: 3, conversations: 0, conversationBytes: 0 }
  const accounts = await createAccounts({ store: base.store, clock: handClock(), random, quotas: () => quotas })
  const root: User | undefined = (await accounts.ensureAdmin('root', 'correct horse'))?.user
  if (!root) throw new Error('an administrator was there already')
  const ann = await accounts.users.create(root, { name: 'ann' })
  await accounts.declareUsers([{ name: 'ops' }])
  await accounts.declareKeys(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => ({ name, user: 'ops', key: `sk-of-the-file-${name}` })))
  const ops = [...accounts.users.all()].find(({ name }) => name === 'ops') ?? ann

  const tries = await Promise.all(Array.from({ length: 12 }, (_, n) => failure(accounts.keys.create(ann, { name: `k${n}` }))))
  expect(tries.filter((one) => one === 'it succeeded').length).toBe(5)
  // Which of them come first is not said.
  const refusals = new Set(tries.filter((one) => one !== 'it succeeded'))
  expect([...refusals]).toEqual(['quota_exceeded: The quota for API keys of a user is 5. Delete some, or ask an administrator for more.'])
  expect(accounts.keys.countOf(ann)).toBe(5)
  expect(accounts.keys.countOf(ops)).toBe(0)
  expect(await failure(accounts.keys.create(ops, { name: 'own' }))).toBe('it succeeded')

  const [key] = accounts.keys.ownedBy(ann)
  if (!key) throw new Error('there is no key')
  const many = ['a', 'b', 'c', 'd']
  expect(await failure(accounts.keys.change(ann, key.id, { models: many }))).toStartWith(
    'quota_exceeded: The quota for models of a key is 3.',
  )
  expect(await failure(accounts.keys.change(ann, key.id, { models: many.slice(1) }))).toBe('it succeeded')
  await accounts.keys.remove(ann, key.id)
  expect(await failure(accounts.keys.create(ann, { name: 'again', models: many }))).toStartWith('quota_exceeded')
  expect(await failure(accounts.keys.create(ann, { name: 'again' }))).toBe('it succeeded')
})
