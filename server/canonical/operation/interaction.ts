/** Interactions that an upstream itself answers and stores: the head of a request, and an upstream's report on one in the background. */
import type { Head } from '#canonical/codec'
import type { Usage } from '#canonical/usage'
import type { KeptWork, WorkFacts, WorkReport } from './kept-work.ts'

/** What Parley needs to know of a request. */
export interface InteractionHead extends Head {
  /** The upstream works on it in the background. `streamed`: its client wants a stream of the progress; then `stream` is false. */
  background?: 'quiet' | 'streamed'
}

/** An upstream's report on an interaction. */
export interface InteractionReport extends WorkReport {
  /** Its usage; absent while it is in progress, and if it had no result. */
  usage?: Usage
  /** Set if its output limit ended it. */
  isCut?: true
}

/** What is stored of one in the background. */
export interface InteractionFacts extends WorkFacts {
  report: InteractionReport
  /** Bytes of its request. */
  inputBytes: number
  /** The more expensive service tier that was requested; absent: none. */
  servedAs?: Usage['servedAs']
}

/** One in the background. */
export type KeptInteraction = KeptWork<InteractionFacts>
