import { expect, test } from 'bun:test'
import { whole } from './whole.ts'

type Parts = Parameters<typeof whole>[1]

/** A request whose answer is also stored, in this way; returns the events in order. */
async function told(kept: () => Promise<void>): Promise<string[]> {
  const said: string[] = []
  const note = (what: string) => async () => void said.push(what)
  const settlement = {
    foresee: ({ end, status }: { end: string; status: number }) => void said.push(`foreseen ${end} ${status}`),
    settle: note('settled'),
    refuse: async (thrown: unknown) => {
      said.push('refused')
      return thrown
    },
  }
  const request = { ask: { kept: () => note('kept')().then(kept) } }
  const parts = {
    parts: { clock: { monotonic: () => 0 } },
    arrival: { flight: { left: () => false } },
    request,
    hold: { ticket: {} },
    settlement,
  }
  const received = { value: { body: '{}', end: 'complete', usage: undefined }, exchange: { losses: [] } }
  await whole(Promise.resolve(received) as never, parts as unknown as Parts).catch(() => undefined)
  return said
}

test('what a request of a batch is charged is in the journal before its answer is written, and settled after', async () => {
  expect(await told(async () => undefined)).toEqual(['foreseen complete 200', 'kept', 'settled'])
})

test('an answer that cannot be written is not charged', async () => {
  expect(await told(() => Promise.reject(new Error('another process does it')))).toEqual(['foreseen complete 200', 'kept', 'refused'])
})
