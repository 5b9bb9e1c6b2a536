/** Usage rows as large as those of real requests, for measurements. Amounts are nano-dollars. */
import type { Account } from '#billing/lease/account'
import { newRequestId, systemRandom as random } from '#runtime/clock'
import type { NewLog } from '#store/ledger/ledger'

/** How many keys, models and channels the rows name; a user has every key whose number is its own modulo the number of users. */
export const rowKeys = 60
const [models, channels] = [12, 6] as const
const hour = 3_600_000

/** The row of the nth answered chat request of this user in the hour that begins at `from`, as the pipeline writes it. */
export function realisticRow(n: number, userId: string, from: number, cost: bigint): NewLog {
  const [fresh, total, reasoning] = [900 + (n % 997), 100 + (n % 499), n % 97]
  const model = `model-${n % models}`
  const at = from + (n % hour)
  const attempt = {
    channel: `channel-${n % channels}`,
    key: `channel-${n % channels} 1`,
    phase: 'done',
    status: 200,
    cause: null,
    ms: 700,
  } as const
  return {
    requestId: newRequestId({ clock: { now: () => at }, random }),
    at: new Date(at),
    userId,
    keyId: `key-${n % rowKeys}`,
    key: `the key ${n % rowKeys}`,
    group: `group-${n % 3}`,
    model,
    upstreamModel: `vendor/${model}`,
    channel: attempt.channel,
    operation: 'generate',
    dialect: 'chat',
    stream: n % 2 === 0,
    status: 200,
    end: n % 50 === 0 ? 'cut' : 'complete',
    error: null,
    usage: {
      in: { fresh, cacheRead: n % 89, cacheWrite: { '5m': 0, '1h': 0, other: 0 }, audio: 0, image: 0 },
      out: { total, reasoning, audio: 0, image: 0 },
      units: { requests: 1, images: 0, seconds: 0, characters: 0, searches: 0 },
      provenance: 'provider',
      raw: {
        ...{ prompt_tokens: fresh, completion_tokens: total, total_tokens: fresh + total },
        prompt_tokens_details: { cached_tokens: n % 89, audio_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: reasoning, audio_tokens: 0 },
      },
    },
    provenance: 'provider',
    cost,
    price: { input: '1.25', output: '10', cacheRead: '0.125', ratio: '1' },
    losses: [],
    firstTokenMs: n % 2 === 0 ? 50 + (n % 2003) : null,
    totalMs: 100 + (n % 20_011),
    attempts: [attempt],
    upstreamCost: 900_000n,
    upstreamPrice: { input: '1', output: '8' },
    lines: null,
  }
}

/** The budget of a key, without end. */
export const keyBudget = (key: string, limit: bigint): Account => ({
  id: `budget:key:${key}:total:`,
  budget: { limit, of: 'key', ofId: key, span: 'total', from: null, until: null },
})
