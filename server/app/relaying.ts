/** Wires relaying: upstreams and their health, limits, and the relays of requests and of sessions. */
import { openLimiter } from '#billing/ratelimit/open-limiter'
import { createDemoUpstream } from '#demo/demo'
import { createDemoSockets } from '#demo/realtime'
import type { RelayParts } from '#relay/contract/ask'
import type { LargeBodies } from '#relay/contract/large-body'
import { createBooking } from '#relay/realtime/booking'
import { createRealtime } from '#relay/realtime/realtime'
import { createRelay } from '#relay/relay'
import { createAffinity } from '#routing/affinity'
import { createBalancing } from '#routing/balancing'
import { createHealth } from '#routing/health'
import { defaultRetry } from '#routing/retry'
import { shareHealth } from '#routing/shared-health'
import { systemClock as clock, systemRandom as random } from '#runtime/clock'
import type { BalancingMode } from '#shared/console/settings'
import type { Store } from '#store/engine/store'
import { createAddressCheck } from '#upstream/addresses'
import { createHttpUpstream } from '#upstream/http'
import { createMediaFetcher } from '#upstream/media'
import type { MediaPolicy } from '#upstream/media-policy'
import { createSigner } from '#upstream/sign'
import { createSocketUpstream } from '#upstream/socket'
import { version } from './version.ts'

/** Parts created here. */
type Made =
  | 'balancing'
  | 'limiter'
  | 'health'
  | 'upstream'
  | 'fetchMedia'
  | 'signer'
  | 'demo'
  | 'affinity'
  | 'retry'
  | 'clock'
  | 'random'
  | 'version'

/** The parts of the relays that come from other rooms. */
export type RelayingParts = Omit<RelayParts, Made> & {
  store: Store
  mediaPolicy: MediaPolicy
  balancingMode(): BalancingMode
  large: Pick<LargeBodies, 'frame' | 'answer'>
}

/** Opens them; `parts` is everything that the relays need, `elsewhere` fetches URLs that upstreams name, within `mediaPolicy`. */
export function openRelaying({ store, mediaPolicy, large, balancingMode, ...others }: RelayingParts) {
  const { channels, log } = others
  const check = createAddressCheck({ clock })
  const upstream = createHttpUpstream(check, clock)
  const elsewhere = createHttpUpstream(createAddressCheck({ clock, policy: mediaPolicy }), clock, check)
  const health = createHealth(clock)
  shareHealth({ health, channels, signals: store.signals, clock })
  const limiter = openLimiter({ store, clock, random, log })
  const parts: RelayParts = {
    ...others,
    ...{ clock, random, version, health, limiter, upstream },
    readLarge: large.answer,
    retry: defaultRetry,
    affinity: createAffinity(clock),
    balancing: createBalancing(clock, balancingMode),
    fetchMedia: createMediaFetcher({ clock, policy: mediaPolicy }),
    signer: createSigner({ upstream, clock }),
    demo: createDemoUpstream({ clock, random }),
  }
  const ofSessions = { ...parts, large, sockets: createSocketUpstream({ check, clock }), demoSockets: createDemoSockets({ clock, random }) }
  const booking = createBooking(ofSessions)
  const realtime = createRealtime(ofSessions, booking)
  const closeUpstreams = () => {
    upstream.close()
    elsewhere.close()
  }
  return {
    parts: { ...parts, elsewhere, mediaPolicy },
    relay: createRelay(parts),
    realtime,
    sessions: { parts: ofSessions, booking },
    health,
    limiter,
    upstream,
    closeUpstreams,
  }
}
