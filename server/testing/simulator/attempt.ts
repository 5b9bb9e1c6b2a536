/** One request as a simulated upstream saw it. */
import type { Spoken } from './answer-text.ts'
import type { Script } from './script.ts'

export interface Attempt {
  number: number
  /** The client's request it belongs to. */
  request: number
  /** Channel and key. */
  place: string
  spoken: Spoken
  stream: boolean
  script: Script
  words: readonly string[]
  /** `stopped`: cancelled or aborted by us. */
  state: 'open' | 'ended' | 'stopped'
  /** Status and headers were given to us. */
  answered: boolean
  /** A whole word was given to us. */
  gaveWord: boolean
  /** Everything up to the reason why it stopped was given to us. */
  gaveFinish: boolean
  /** The last of the figures were given to us. */
  gaveUsage: boolean
}
