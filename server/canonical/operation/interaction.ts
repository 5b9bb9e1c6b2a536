/** Interactions that an upstream keeps and answers itself: what is read of a request, and what an upstream says of one in the background. */
import type { Head } from '#canonical/codec'
import type { Usage } from '#canonical/usage'
import type { KeptWork, WorkFacts, WorkReport } from './kept-work.ts'

/** What Parley needs to know of a request. */
export interface InteractionHead extends Head {
  /** The upstream makes it while nobody waits. `streamed`: its client wants to see how; then `stream` is false. */
  background?: 'quiet' | 'streamed'
}

/** What an upstream says of an interaction. */
export interface InteractionReport extends WorkReport {
  /** What it used; absent while it goes on, and where nothing came of it. */
  usage?: Usage
  /** Whether its limit ended it. */
  isCut?: true
}

/** What is kept of one in the background. */
export interface InteractionFacts extends WorkFacts {
  report: InteractionReport
  /** Bytes of its request. */
  inputBytes: number
  /** The dearer way of serving that was asked for; absent: none. */
  servedAs?: Usage['servedAs']
}

/** One in the background. */
export type KeptInteraction = KeptWork<InteractionFacts>
