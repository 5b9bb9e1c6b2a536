/** The whole relay under random schedules. `testing/simulator/run.ts` replays a failing seed. */
import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { sampled, sampledSeeds } from '#testing/sample'
import { faultyText, plants } from '#testing/simulator/planted-faults'
import { simulate } from '#testing/simulator/simulation'

const schedules = sampledSeeds(10_000, 200)
const script = join(import.meta.dir, '../../testing/simulator/run.ts')

test(
  `every invariant holds in ${schedules.length} schedules`,
  async () => {
    for (const seed of schedules) {
      const { faults, lines } = await simulate(seed)
      if (faults.length > 0) throw new Error(`seed ${seed} fails:\n${lines.join('\n')}`)
    }
  },
  20 * 60_000,
)

test('the same seed is the same schedule', async () => {
  for (const seed of [1, 276, 551]) expect((await simulate(seed)).lines).toEqual((await simulate(seed)).lines)
})

test.each(Object.entries(plants))('%s: this fault can still be planted', (_, plant) => {
  expect(faultyText(plant)).toContain(plant.to)
})

describe('the checker is awake: each planted fault is found', () => {
  test.each(sampled(Object.keys(plants), 1))(
    '%s',
    async (name) => {
      const child = Bun.spawn([process.execPath, script, '--plant', name, '--seeds', '10000'], { stdout: 'ignore', stderr: 'pipe' })
      const [said, code] = await Promise.all([new Response(child.stderr).text(), child.exited])
      expect(said).toMatch(/^seed \d+ fails/)
      expect(code).toBe(1)
    },
    20 * 30_000,
  )
})
