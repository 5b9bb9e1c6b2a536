/** What there is to know of one contract to answer in it. */
import type { Answer, Refused } from './script.ts'

export interface Speech {
  /** A streamed answer; empty where nothing is streamed. */
  frames(answer: Answer, words: readonly string[]): string[]
  whole(answer: Answer, words: readonly string[]): object
  refusal(status: number, why: Refused): object
  /** The frame that ends a stream with an error. */
  failure: string
  /** Found where an answer says why it stops. */
  finish: RegExp
  /** The name of the last figure. */
  figures: string
}

export const sse = (data: object | string, event?: string): string =>
  `${event ? `event: ${event}\n` : ''}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`
