/** Tests of channels that failed last, by hand or by a check, until one of the same model succeeds. As this instance has seen them. */

/** What failed. */
export interface FailedTest {
  channelId: string
  model: string
  /** Error code. */
  cause: string
  /** Milliseconds since the epoch. */
  at: number
}

/** Remembers failed tests. */
export interface FailedTests {
  /** `cause` undefined: the test succeeded. */
  note(channelId: string, model: string, cause: string | undefined): void
  /** The newest first. */
  all(): FailedTest[]
}

/** Failed tests in memory; of channels or models that are gone, whoever reads them takes no notice. */
export function createFailedTests(clock: { now(): number }): FailedTests {
  const failed = new Map<string, FailedTest>()
  return {
    note(channelId, model, cause) {
      const place = JSON.stringify([channelId, model])
      failed.delete(place)
      if (cause !== undefined) failed.set(place, { channelId, model, cause, at: clock.now() })
    },
    all: () => [...failed.values()].reverse(),
  }
}
