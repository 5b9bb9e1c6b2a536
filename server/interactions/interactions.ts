/** Background interactions of upstreams: their records while they run, and their usage. */
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

/** Usage as reported by the upstream, also for cancelled ones. */
export const interactionEnds: WorkEnds<InteractionFacts> = {
  noun: 'interaction',
  usedBy: ({ servedAs }, { state, usage }) =>
    state === 'failed' || !usage
      ? undefined
      : { ...usage, ...((servedAs ?? usage.servedAs) && { servedAs: { ...servedAs, ...usage.servedAs } }) },
  endOf: ({ isCut }) => (isCut ? 'length' : 'complete'),
}
