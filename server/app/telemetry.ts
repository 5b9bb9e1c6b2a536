/** Telemetry of the program; its packages are loaded only where a collector is named. */
import type { Channels } from '#routing/channel'
import type { TlsIdentity } from '#runtime/contract/route'
import type { Log, LogLevel } from '#runtime/log'
import { readIfThere } from '#runtime/small-file'
import { type TelemetrySettings, telemetrySettings } from '#telemetry/settings'
import type { Telemetry, TelemetryParts } from '#telemetry/telemetry'
import { tracedLog } from '#telemetry/traced-log'

/** Telemetry before the program is built. */
export interface TelemetryPlan {
  /** Its lines about a request include the trace id, where there are traces. */
  log: Log
  /** Undefined where no collector is configured. Rejects with an Error that names the variable of an invalid setting or file. */
  start(
    parts: Omit<TelemetryParts, 'settings' | 'tls' | 'env' | 'log' | 'vendors'> & { channels: Pick<Channels, 'all'> },
  ): Promise<Telemetry | undefined>
}

/** Reads the environment; `level`: of the log. Throws an Error that names the variable of an invalid setting. */
export function planTelemetry(env: Record<string, string | undefined>, log: Log, level: LogLevel): TelemetryPlan {
  const settings = telemetrySettings(env)
  if (settings === undefined) return { log, start: async () => undefined }
  let telemetry: Telemetry | undefined
  const traced = tracedLog(log, level, (requestId) => telemetry?.traceIdOf(requestId))
  return {
    log: traced,
    async start({ channels, ...parts }) {
      const [{ createTelemetry }, tls] = await Promise.all([import('#telemetry/telemetry'), tlsOf(settings)])
      telemetry = createTelemetry({ ...parts, settings, tls, env, log: traced, vendors: () => vendorsOf(channels) })
      return telemetry
    },
  }
}

/** Throws an Error that names the variable of a file that cannot be read. */
async function tlsOf({ tlsFiles }: TelemetrySettings): Promise<TlsIdentity | undefined> {
  const files = Object.entries(tlsFiles)
  if (files.length === 0) return undefined
  const read = files.map(async ([use, { variable, path }]) => {
    const text = await readIfThere(path).catch((thrown: unknown) => {
      throw new Error(`${variable}: ${thrown instanceof Error ? thrown.message : thrown}`)
    })
    if (text === undefined) throw new Error(`${variable} names a file that does not exist: ${path}`)
    return [use, text] as const
  })
  return Object.fromEntries(await Promise.all(read))
}

/** By channel name, as in usage rows. */
const vendorsOf = (channels: Pick<Channels, 'all'>) => new Map([...channels.all()].map(({ name, vendor }) => [name, vendor.id]))
