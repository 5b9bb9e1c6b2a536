/** The browser of tests, pictures and measurements. */
import { existsSync } from 'node:fs'

const windowless = '/usr/bin/chromium-headless-shell'

/** The path of the browser's program: PARLEY_CHROMIUM, which `npm test` sets, or the one that it installs on Debian. */
export const chromiumPath = process.env.PARLEY_CHROMIUM ?? (existsSync(windowless) ? windowless : '/usr/bin/chromium')
