/**
 * Loaded into a program before its own files where a test names `quickTimers`: its longest intervals take moments, so that a test need not
 * wait for real. Other times stay as they are.
 */
const quick = new Map(
  (process.env.TEST_QUICK_TIMERS ?? '').split(',').map((pair) => pair.split(':').map(Number) as [usual: number, quick: number]),
)
const usual = globalThis.setTimeout

globalThis.setTimeout = Object.assign(
  (work: () => void, ms?: number, ...values: unknown[]) => usual(work, quick.get(ms ?? 0) ?? ms, ...values),
  usual,
) as typeof setTimeout
