/** Wires alerts: their checks, their delivery, and channel tests that report failures. */
import { type Alerts, createAlerts } from '#alerts/alerts'
import { ofTest } from '#alerts/notice'
import { createSend } from '#alerts/send'
import { createWatch, type WatchParts } from '#alerts/watch'
import type { Probe } from '#relay/admin/probe'
import type { FailedTests } from '#routing/failed-tests'
import type { Clock, Random } from '#runtime/clock'
import type { Log } from '#runtime/log'
import type { Sealer } from '#runtime/secrets'
import type { Store } from '#store/engine/store'
import { createAddressCheck } from '#upstream/addresses'
import type { Upstream } from '#upstream/upstream'

/** Alerts and what feeds them. */
export interface Alerting {
  alerts: Alerts
  /** Runs the checks once. */
  look(): Promise<void>
  /** The same channel tests, with failures reported as alerts. */
  watched(probe: Probe): Probe
}

type Parts = Omit<WatchParts, 'alerts'> & {
  failedTests: Pick<FailedTests, 'note'>
  store: Store
  sealer: Sealer
  random: Random
  log: Log
  upstream: Upstream
}

/** Nothing runs by itself: `jobs.ts` calls it. */
export function createAlerting(parts: Parts): Alerting {
  const { clock, log, channels, publicUrl, upstream, failedTests }: Parts & { clock: Clock } = parts
  const alerts = createAlerts({ ...parts, send: createSend({ upstream, check: createAddressCheck({ clock }), clock }) })
  return {
    alerts,
    look: createWatch({ ...parts, alerts }),
    watched: (probe) => ({
      ...probe,
      async test(id, question, signal, onProbed) {
        const answer = await probe.test(id, question, signal, onProbed)
        failedTests.note(id, answer.model, answer.error?.code)
        if (answer.error) {
          const name = channels.rows().find((row) => row.id === id)?.name ?? id
          const notice = ofTest({ id, name }, answer.error, clock.now(), { publicUrl: publicUrl.origin })
          await alerts.note([notice]).catch((thrown: unknown) => log.warn({ err: thrown }, 'could not note a failed test'))
        }
        return answer
      },
    }),
  }
}
