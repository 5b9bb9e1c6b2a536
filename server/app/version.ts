/** The version of this build, as package.json says it. */
import manifest from '../../package.json' with { type: 'json' }

export const { version } = manifest
