/** Damaged requests at every address of a running Parley, with a seed; `npm run fuzz -- --doors` sends more. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sampledEngine } from '#testing/database/database'
import { type Door, type DoorCase, doorCase, doorFault, doorsOf, type Identities } from '#testing/fuzz/doors'
import { isDeep, runSeed } from '#testing/sample'
import { type Gateway, startGateway } from './support/gateway.ts'

const count = isDeep ? 20_000 : 600
let gateway: Gateway
let doors: [Door, ...Door[]]
let identities: Identities

beforeAll(async () => {
  gateway = await startGateway(sampledEngine(import.meta.file), { env: { PARLEY_DEMO: 'on' } })
  const [first, ...rest] = doorsOf(await (await fetch(`${gateway.url}/openapi.json`)).text())
  if (!first) throw new Error('no doors')
  doors = [first, ...rest]
  const { session, key } = await gateway.user('ann', '1000')
  identities = { key: { authorization: `Bearer ${key}` }, admin: { cookie: gateway.admin.cookie }, user: { cookie: session.cookie } }
}, 90_000)
afterAll(() => gateway?.close())

test(`${count} damaged requests are answered, and never by a fault of Parley’s own`, async () => {
  expect(doors.length).toBeGreaterThan(60)
  const finds: unknown[] = []
  for (let seed = runSeed * 1_000_000; seed < runSeed * 1_000_000 + count; seed++) {
    const one = doorCase(seed, doors, identities)
    const fault = await doorFault(gateway.url, one)
    if (fault !== undefined) finds.push({ seed, fault, ...one, headers: Object.keys(one.headers) })
  }
  expect(finds).toEqual([])
  expect((await fetch(`${gateway.url}/readyz`)).status).toBe(200)
}, 600_000)

const folder = join(import.meta.dir, '../testing/fuzz/door-finds')
test.each(globSync('*.json', { cwd: folder }))('%s, found before', async (name) => {
  const { as, ...one }: DoorCase & { as: string } = JSON.parse(readFileSync(join(folder, name), 'utf8'))
  expect(await doorFault(gateway.url, { ...one, headers: { ...identities[as], ...one.headers } })).toBeUndefined()
})
