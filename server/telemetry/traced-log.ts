/** The same log; lines about a request name its trace. */
import type { Log } from '#runtime/log'

/** `traceIdOf`: the trace of a request by its id. */
export function tracedLog(log: Log, traceIdOf: (requestId: string) => string | undefined): Log {
  const write = (level: keyof Log) => (fields: object, message: string) => {
    const traceId = 'requestId' in fields ? traceIdOf(String(fields.requestId)) : undefined
    log[level](traceId === undefined ? fields : { ...fields, trace_id: traceId }, message)
  }
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') }
}
