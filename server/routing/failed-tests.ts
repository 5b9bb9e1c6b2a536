/** The latest failed tests of channels, manual or by checks, until a test of the same model succeeds. Only those of this instance. */

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
  /** Newest first. */
  all(): FailedTest[]
}

/** Failed tests in memory; readers ignore those of deleted channels or models. */
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
