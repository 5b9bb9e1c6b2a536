/** Parley. What happens when the key turns stands in `start.ts`. */
import { publicOnly } from '#upstream/media-policy'
import { turnKey } from './start.ts'

await turnKey(publicOnly)
