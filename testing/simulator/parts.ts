/** What a simulated house hands to the real relay: fakes at its edges, the real thing in between. */
import type { Books } from '#billing/ledger/books'
import type { LocalLimiter } from '#billing/ratelimit/limits'
import { createReasoningState } from '#reasoning-state/reasoning-state'
import type { RelayParts } from '#relay/contract/ask'
import { createAffinity } from '#routing/affinity'
import type { Health } from '#routing/health'
import { defaultRetry } from '#routing/retry'
import type { Log } from '#runtime/log'
import { sealer } from '#runtime/secrets'
import type { Store } from '#store/engine/store'
import type { Seeded } from '#testing/seeded'
import type { StepClock } from '#testing/step-clock'
import type { Upstream } from '#upstream/upstream'
import type { World } from './world.ts'

export interface Simulated {
  world: World
  clock: StepClock
  random: Seeded
  books: Books
  limiter: LocalLimiter
  health: Health
  upstream: Upstream
}

export const heartbeatMs = 15_000

const silent: Log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }
const masterKey = '0'.repeat(64)

export function partsOf({ world, clock, random, books, limiter, health, upstream }: Simulated): RelayParts {
  return {
    channels: world.channels,
    fallbacks: (model) => (model === 'm' ? world.fallbacks : undefined),
    affinity: createAffinity(clock),
    prices: world.prices,
    books,
    limiter,
    health,
    upstream,
    demo: upstream,
    fetchMedia: async () => Promise.reject(new Error('nothing is fetched')),
    signer: { sign: async (request) => request },
    // Nothing here lasts longer than its request, so nothing is read or written.
    reasoningState: createReasoningState({ store: {} as Store, sealer: sealer(masterKey), clock, log: silent }),
    clock,
    random: { fraction: random.fraction, hex: (bytes) => 'a'.repeat(bytes * 2), base62: (length) => 'a'.repeat(length) },
    log: silent,
    retry: defaultRetry,
    version: 'simulated',
    heartbeatMs,
  }
}
