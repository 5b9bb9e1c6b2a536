/** Parley's entry point. Startup is in `app/start.ts`. */

import { turnKey } from '#app/start'
import { publicOnly } from '#upstream/media-policy'

await turnKey(publicOnly)
