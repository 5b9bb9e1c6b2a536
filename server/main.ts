/** Parley's entry point. Startup is in `app/start.ts`, which is only loaded once the process has its settings. */

import { ensureStartSettings } from '#runtime/start-settings'

ensureStartSettings()
const [{ turnKey }, { publicOnly }] = await Promise.all([import('#app/start'), import('#upstream/media-policy')])
await turnKey(publicOnly)
