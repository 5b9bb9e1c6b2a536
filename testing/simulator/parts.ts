/** Assembles the real relay's dependencies: simulated ones at the edges, real ones in between. */
import type { Books } from '#billing/ledger/books'
import type { LocalLimiter } from '#billing/ratelimit/limits'
import { createReasoningState } from '#reasoning-state/reasoning-state'
import type { RelayParts } from '#relay/contract/ask'
import { createAffinity } from '#routing/affinity'
import type { Health } from '#routing/health-contract'
import { defaultRetry } from '#routing/retry'
import type { Log } from '#runtime/log'
import { sealer } from '#runtime/secrets'
import type { Store } from '#store/engine/store'
import type { Seeded } from '#testing/seeded'
import type { StepClock } from '#testing/step-clock'
import type { Upstream } from '#upstream/upstream'
import type { Installation } from './installation.ts'

/** The simulated dependencies. */
export interface Simulated {
  installation: Installation
  clock: StepClock
  random: Seeded
  books: Books
  limiter: LocalLimiter
  health: Health
  upstream: Upstream
}

/** Milliseconds between two heartbeats of a stream. */
export const heartbeatMs = 15_000

const silent: Log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }
const masterKey = '0'.repeat(64)

/** The relay's dependencies for one schedule. */
export function partsOf({ installation, clock, random, books, limiter, health, upstream }: Simulated): RelayParts {
  const seeded = {
    fraction: random.fraction,
    hex: (bytes: number) => 'a'.repeat(bytes * 2),
    base62: (length: number) => 'a'.repeat(length),
  }
  return {
    open: { count: 0, streams: 0 },
    channels: installation.channels,
    fallbacks: (model) => (model === 'm' ? installation.fallbacks : undefined),
    affinity: createAffinity(clock),
    prices: installation.prices,
    books,
    limiter,
    health,
    upstream,
    demo: upstream,
    fetchMedia: async () => Promise.reject(new Error('the simulator fetches no media')),
    signer: { sign: async (request) => request },
    // No schedule stores reasoning state, so the store is never used.
    reasoningState: createReasoningState({ store: {} as Store, sealer: sealer(masterKey), clock, random: seeded, log: silent }),
    clock,
    random: seeded,
    log: silent,
    retry: defaultRetry,
    version: 'simulated',
    heartbeatMs,
  }
}
