/** Interactions that upstreams make in the background: where, and how far each is. The interactions themselves lie there. */
import { upstreamWork } from './videos.ts'

export const interactions = upstreamWork('interactions')
