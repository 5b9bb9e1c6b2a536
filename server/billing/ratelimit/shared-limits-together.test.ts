/** Many instances, bad networks and crashes: never above a limit; and the check that says so is seen to fail. */
import { expect, test } from 'bun:test'
import { runRates } from '#testing/books/limit-run'
import { sampledSeeds } from '#testing/sample'

test('never above a limit, whatever happens to calls and instances; at rest not one too few', async () => {
  const sums = { passed: 0, limited: 0, unavailable: 0 }
  const seeds = sampledSeeds(40, 5)
  for (const seed of seeds) {
    const { faults, passed, limited, unavailable } = await runRates(seed)
    expect([seed, faults]).toEqual([seed, []])
    sums.passed += passed
    sums.limited += limited
    sums.unavailable += unavailable
  }
  console.log(`${seeds.length} schedules: ${sums.passed} passed, ${sums.limited} were limited, ${sums.unavailable} could not be told`)
  expect(Math.min(sums.passed, sums.limited, sums.unavailable)).toBeGreaterThan(100)
}, 120_000)

/** The last figure: a seed not long before the first that finds it. */
const planted: [string, Parameters<typeof runRates>[1], RegExp, number][] = [
  ['a ring of one sub-window less', { slots: 13 }, /in a minute/, 1],
  ['calls that may happen late', { unfenced: true }, /at once/, 138],
]

test.each(planted)(
  '%s is found',
  async (_, fault, word, first) => {
    let found = ''
    for (let seed = first; seed < first + 200 && !word.test(found); seed++) found = (await runRates(seed, fault)).faults.join('\n')
    expect(found).toMatch(word)
  },
  120_000,
)
