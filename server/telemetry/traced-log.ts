/** The same log; lines about a request name its trace. */
import { type Log, type LogLevel, logLevels } from '#runtime/log'

/** `traceIdOf`: the trace of a request by its id; only called for lines of this `level` or above, which are written. */
export function tracedLog(log: Log, level: LogLevel, traceIdOf: (requestId: string) => string | undefined): Log {
  const write = (its: keyof Log) => (fields: object, message: string) => {
    const traceId = 'requestId' in fields ? traceIdOf(String(fields.requestId)) : undefined
    log[its](traceId === undefined ? fields : { ...fields, trace_id: traceId }, message)
  }
  const isWritten = (its: keyof Log) => logLevels.indexOf(its) >= logLevels.indexOf(level)
  const one = (its: keyof Log) => (isWritten(its) ? write(its) : () => undefined)
  return { debug: one('debug'), info: one('info'), warn: one('warn'), error: one('error') }
}
