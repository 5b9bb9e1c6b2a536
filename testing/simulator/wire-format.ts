/** What a simulated upstream needs to answer in one wire format. */
import type { Answer, Refused } from './script.ts'

/** Writes answers in one wire format. */
export interface WireFormat {
  /** The frames of a streamed answer; empty if the format does not stream. */
  frames(answer: Answer, words: readonly string[]): string[]
  whole(answer: Answer, words: readonly string[]): object
  refusal(status: number, why: Refused): object
  /** The frame that ends a stream with an error. */
  failure: string
  /** Matches at the finish reason of an answer. */
  finish: RegExp
  /** The field name of the last usage figure. */
  figures: string
}

/** One server-sent event. */
export const sse = (data: object | string, event?: string): string =>
  `${event ? `event: ${event}\n` : ''}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`
