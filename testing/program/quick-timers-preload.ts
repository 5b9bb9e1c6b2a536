/**
 * Loaded into a program before its own files if a test sets `quickTimers`: its longest intervals take moments, so that a test need not
 * wait for them. Other times are unchanged.
 */
const quick = new Map(
  (process.env.TEST_QUICK_TIMERS ?? '').split(',').map((pair) => pair.split(':').map(Number) as [usual: number, quick: number]),
)
const usual = globalThis.setTimeout

globalThis.setTimeout = Object.assign(
  (work: () => void, ms?: number, ...values: unknown[]) => usual(work, quick.get(ms ?? 0) ?? ms, ...values),
  usual,
) as typeof setTimeout
