/** Problems of the file with positions: `parley.yaml:LINE:COLUMN: message`, both counted from 1. */
import { GatewayError } from '#shared/errors'

/** A position in the file, counted from 1. */
export interface Place {
  line: number
  column: number
}

/** A problem and its position. */
export interface Problem extends Place {
  message: string
}

/** Maximum number of lines; later problems often only follow from the first. */
const most = 20

/** All problems as one error, one line each, in the order of the file. */
export function refusal(file: string, problems: readonly Problem[]): GatewayError {
  const sorted = problems.toSorted((a, b) => a.line - b.line || a.column - b.column)
  const lines = sorted.slice(0, most).map(({ line, column, message }) => `${file}:${line}:${column}: ${message}`)
  if (sorted.length > most) lines.push(`${file}: and ${sorted.length - most} more`)
  return new GatewayError('invalid_value', lines.join('\n'))
}
