/** The program's log: JSON lines on standard output. Secrets, prompts and answers are never logged. */
import pino from 'pino'

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

export interface Log {
  /** `requestId` is the id of a request. */
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** Characters that are buffered while the disk is full; the rest is lost. */
const kept = 1024 * 1024

/** Request ids have the field name that traces and other programs use. */
const named = ({ requestId, ...fields }: Record<string, unknown>) =>
  requestId === undefined ? fields : { request_id: requestId, ...fields }

/** A log whose lines are valid JSON whatever the fields hold; errors are written under `err` with their stack. */
export function createLog(level: LogLevel): Log {
  const output = pino.destination({ fd: 1, sync: true, maxLength: kept })
  // A full disk or a closed pipe must not end the service.
  output.on('error', () => undefined)
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }), log: named },
  }
  return pino(options, output)
}
