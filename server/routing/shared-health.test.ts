import { expect, test } from 'bun:test'
import { GatewayError } from '#shared/errors'
import { longestSignal, type Signals } from '#store/engine/store'
import { channelKey, testCandidate, testChannel } from '#testing/candidate'
import { handClock } from '#testing/hand-clock'
import { createHealth } from './health.ts'
import { shareHealth } from './shared-health.ts'

const fault = new GatewayError('upstream_error', 'broken')
const refused = new GatewayError('upstream_auth_failed', 'refused')
const limited = new GatewayError('upstream_rate_limited', 'limited', { retryAfter: 20 })

const channel = testChannel('a', { keys: [channelKey('one'), channelKey('zwei', 1)] })

/** Connected instances, with the notices that they sent, and a way to lose them. */
function instances(count: number) {
  const said: string[] = []
  const ears: ((text: string) => void)[] = []
  let lost = false
  const wire = (self: number): Signals => ({
    send(_, text) {
      said.push(text)
      if (!lost) ears.forEach((ear, index) => void (index !== self && ear(text)))
    },
    onSignal(_, listener) {
      ears[self] = listener
    },
  })
  const all = Array.from({ length: count }, (_, self) => {
    // Each machine's clock shows a different time.
    const clock = handClock(self * 1e9)
    const health = createHealth(clock)
    shareHealth({ health, channels: { get: (id) => (id === 'a' ? channel : undefined) }, signals: wire(self), clock })
    const candidate = () => testCandidate(channel)
    const fail = (times: number, error = fault, of = candidate()) => {
      for (let i = 0; i < times; i++) if (health.admit(of)) health.failed(of, error)
    }
    return { clock, health, candidate, fail }
  })
  const lose = (value: boolean): void => {
    lost = value
  }
  return { all, said, ears, lose }
}

function two() {
  const { all, ...rest } = instances(2)
  const [here, there] = all
  if (!here || !there) throw new Error('two')
  return { here, there, ...rest }
}

test('what opens here is open there for as long, and only that', () => {
  const { here, there } = two()
  here.fail(4)
  expect(there.health.ailments()).toEqual([])
  here.fail(1)
  expect(there.health.ailments()).toEqual([
    { channelId: 'a', key: 'one', model: 'm', state: 'open', cause: 'upstream_error', waitMs: 30_000 },
  ])
  expect(there.health.wait(testCandidate(channel, channel.keys[1]))).toBe(0)
  expect(there.health.wait(testCandidate(channel, channel.keys[0], 'other'))).toBe(0)
})

test('a limited key rests there too, a refused one for all models', async () => {
  const { here, there } = two()
  here.fail(1, limited)
  expect(there.health.wait(there.candidate())).toBe(20_000)
  here.health.reset('a')
  here.fail(3, refused)
  await here.clock.advance(200)
  expect(there.health.ailments()[0]).toMatchObject({ model: null, cause: 'upstream_auth_failed', waitMs: 59_800 })
})

test('each instance sends one probe of its own, and the first that succeeds closes it everywhere', async () => {
  const { here, there } = two()
  here.fail(5)
  for (const { clock } of [here, there]) await clock.advance(30_000)
  const [ours, theirs] = [here.candidate(), there.candidate()]
  expect([here.health.admit(ours), here.health.admit(here.candidate())]).toEqual([true, false])
  expect([there.health.admit(theirs), there.health.admit(there.candidate())]).toEqual([true, false])
  here.health.succeeded(ours)
  expect([there.health.admit(there.candidate()), there.health.ailments()]).toEqual([true, []])
})

test('a reset here is a reset there', () => {
  const { here, there } = two()
  here.fail(5)
  there.health.reset('a')
  expect([here.health.ailments(), here.health.wait(here.candidate())]).toEqual([[], 0])
})

test('a lost notice only means that the other finds out by itself', () => {
  const { here, there, lose } = two()
  lose(true)
  here.fail(5)
  expect(there.health.wait(there.candidate())).toBe(0)
  there.fail(5)
  expect(there.health.wait(there.candidate())).toBe(30_000)
})

test('changes received from others are not sent again', async () => {
  const { here, there, said } = two()
  here.fail(5)
  await there.clock.advance(10_000)
  expect(said).toHaveLength(1)
})

test('a storm is five notices a second, each small, each with the latest state', async () => {
  const { here, there, said } = two()
  const models = Array.from({ length: 400 }, (_, number) => `a model with a long name, number ${number} \u{1F600}`)
  const many = models.map((model) => testCandidate(channel, channel.keys[0], model))
  for (const candidate of many) here.fail(1, limited, candidate)
  for (let round = 0; round < 20; round++) {
    here.health.reset('a')
    for (const candidate of many) here.fail(1, limited, candidate)
    await here.clock.advance(50)
  }
  expect(said.length).toBeLessThan(8)
  await here.clock.advance(5_000)
  expect(Math.max(...said.map((text) => Buffer.byteLength(text)))).toBeLessThanOrEqual(longestSignal)
  for (const candidate of many) expect(there.health.wait(candidate)).toBeGreaterThan(0)
  expect(here.clock.pending()).toBe(0)
})

test('anything else on the wire is nothing', () => {
  const { there, ears } = two()
  const long = JSON.stringify(['a', 'one', 'm', 'upstream_error', 1e15])
  for (const text of [
    '',
    '{',
    '[]',
    '[1]',
    '["b"]',
    '["b","one","m","x",9]',
    '["a","gone","m","x",9]',
    '["a","one","m","x",-1]',
    '["a",1,2,3,4]',
  ])
    ears[1]?.(text)
  expect(there.health.ailments()).toEqual([])
  ears[1]?.(long)
  expect(there.health.wait(there.candidate())).toBe(600_000)
})
