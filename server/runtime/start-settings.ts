/** Settings of the runtime itself. Bun reads them from the environment, and only at its own start. */

import settings from './start-settings.json' with { type: 'json' }

/**
 * Names and values, from `start-settings.json`. A program that is started with them saves a restart; the tasks set them.
 *
 * - `BUN_CONFIG_MAX_HTTP_REQUESTS`: by default requests beyond 256 at once are silently queued.
 * - `BUN_JSC_thresholdForFTLOptimizeAfterWarmUp`: the compiler's last tier makes requests no faster, and compiling costs
 *   more than the first ten thousand requests themselves. Long loops still reach it.
 * - `BUN_JSC_startupJITDeferralScale`: code that runs at start is only compiled after three times as many runs as
 *   later; most of it never runs again. Saves 5 MB and a little start time. With ten the first half minute of requests costs a tenth more.
 * - `BUN_JSC_thresholdForOMGOptimizeAfterWarmUp`: the same for the last tier of WebAssembly, the embedded database: 120 ms of a start.
 * - `MIMALLOC_PURGE_HOLES_MIN_INTERVAL`: milliseconds. Freed memory is only returned to the system this often: under load it is
 *   needed again at once, and returning it all the time keeps a thread busy and costs a page fault for every page.
 * - `MIMALLOC_PURGE_DELAY`: the same for large pieces, such as a long prompt and its texts. With 1 MB a request costs an eighth less.
 */
export const startSettings: Readonly<Record<string, string>> = settings

/**
 * Restarts this program in the same process with the settings that are missing in its environment, and does not return. Returns if nothing
 * is missing, and on other runtimes. To be called before anything is opened; takes about 100 ms of CPU time.
 */
export function ensureStartSettings(): void {
  const missing = Object.entries(startSettings).filter(([name]) => process.env[name] === undefined)
  if (process.versions.bun === undefined || process.execve === undefined || missing.length === 0) return
  const words = [process.execPath, ...process.execArgv, ...process.argv.slice(1)]
  process.execve(process.execPath, words, { ...process.env, ...Object.fromEntries(missing) } as Record<string, string>)
}
