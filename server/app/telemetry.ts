/** Telemetry of the program; its packages are loaded only where a collector is named. */
import type { Channels } from '#routing/channel'
import type { Log } from '#runtime/log'
import { telemetrySettings } from '#telemetry/settings'
import type { Telemetry, TelemetryParts } from '#telemetry/telemetry'
import { tracedLog } from '#telemetry/traced-log'

/** Telemetry before the program is built. */
export interface TelemetryPlan {
  /** Its lines about a request name the trace, where there are traces. */
  log: Log
  /** Undefined where no collector is named. Rejects with an Error that names the variable for a setting that is not known. */
  start(
    parts: Omit<TelemetryParts, 'settings' | 'env' | 'log' | 'vendors'> & { channels: Pick<Channels, 'all'> },
  ): Promise<Telemetry | undefined>
}

/** Reads the environment. Throws an Error that names the variable for what is not possible. */
export function planTelemetry(env: Record<string, string | undefined>, log: Log): TelemetryPlan {
  const settings = telemetrySettings(env)
  if (settings === undefined) return { log, start: async () => undefined }
  let telemetry: Telemetry | undefined
  const traced = tracedLog(log, (requestId) => telemetry?.traceIdOf(requestId))
  return {
    log: traced,
    async start({ channels, ...parts }) {
      const { createTelemetry } = await import('#telemetry/telemetry')
      telemetry = createTelemetry({ ...parts, settings, env, log: traced, vendors: () => vendorsOf(channels) })
      return telemetry
    },
  }
}

/** By the names that usage rows have for channels. */
const vendorsOf = (channels: Pick<Channels, 'all'>) => new Map([...channels.all()].map(({ name, vendor }) => [name, vendor.id]))
