/** Interactions that upstreams make in the background: what is kept of them while they go on, and what each comes to. */
import type { InteractionFacts } from '#canonical/operation/interaction'
import { createUpstreamWork, type UpstreamWork, type UpstreamWorkParts } from '#long-work/kept-work'
import type { WorkEnds } from '#long-work/work-runner'
import { interactionRows } from '#store/jobs/upstream-work'

/** Interactions in the background, by tenant and id. */
export type BackgroundInteractions = UpstreamWork<InteractionFacts>

/** The kind of their jobs. */
export const interactionKind = 'interaction'

/** Those in this store. */
export const createBackgroundInteractions = (
  parts: Omit<UpstreamWorkParts<InteractionFacts>, 'rows' | 'kind' | 'many'>,
): BackgroundInteractions =>
  createUpstreamWork({ ...parts, rows: interactionRows, kind: interactionKind, many: 'interactions in the background' })

/** What they come to: what the upstream says that they used, also where they were cancelled. */
export const interactionEnds: WorkEnds<InteractionFacts> = {
  noun: 'interaction',
  usedBy: ({ servedAs }, { state, usage }) =>
    state === 'failed' || !usage
      ? undefined
      : { ...usage, ...((servedAs ?? usage.servedAs) && { servedAs: { ...servedAs, ...usage.servedAs } }) },
  endOf: ({ isCut }) => (isCut ? 'length' : 'complete'),
}
