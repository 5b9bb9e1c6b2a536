/** What is wrong with the file, and where: `parley.yaml:LINE:COLUMN: message`, both counted from 1. */
import { GatewayError } from '#shared/errors'

export interface Place {
  line: number
  column: number
}

export interface Problem extends Place {
  message: string
}

/** More than anyone reads; what follows is often only the echo of the first. */
const most = 20

/** All problems as one error, a line each, in the order of the file. */
export function refusal(file: string, problems: readonly Problem[]): GatewayError {
  const sorted = problems.toSorted((a, b) => a.line - b.line || a.column - b.column)
  const lines = sorted.slice(0, most).map(({ line, column, message }) => `${file}:${line}:${column}: ${message}`)
  if (sorted.length > most) lines.push(`${file}: and ${sorted.length - most} more`)
  return new GatewayError('invalid_value', lines.join('\n'))
}
