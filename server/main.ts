/** Parley. What happens when the key turns stands in `start.ts`. */

import { turnKey } from '#app/start'
import { publicOnly } from '#upstream/media-policy'

await turnKey(publicOnly)
