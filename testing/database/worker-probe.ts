/** A module for the database worker with which tests examine the worker itself. */
import { sql } from 'drizzle-orm'
import { systemClock } from '#runtime/clock'
import { returned } from '#store/engine/rows'
import type { Work, WorkPlace } from '#store/engine/worker-calls'

/** Its address. */
export const workerProbe = new URL(import.meta.url)

/** Its functions. */
export const work = ({ db, engine }: WorkPlace): Work => {
  const seen: unknown[] = []
  return {
    /** Returns its argument, and all previous ones. */
    echo: async (payload: unknown) => {
      seen.push(payload)
      return { payload, seen: [...seen], engine }
    },
    /** Returns the sum of a buffer's bytes. */
    sum: async (payload: ArrayBuffer) => new Uint8Array(payload).reduce((sum, byte) => sum + byte, 0),
    /** Runs a statement; answers its rows. */
    run: async (payload: string) => returned(await db.execute(sql.raw(payload))),
    /** A transaction of two statements. */
    twice: (payload: string) =>
      db.transaction(async (tx) => {
        await tx.execute(sql.raw(payload))
        await tx.execute(sql.raw(payload))
      }),
    /** Answers after so many milliseconds. */
    wait: async (payload: number) => systemClock.sleep(payload),
    /** Ends the worker so many milliseconds after the call. */
    dieAfter: async (payload: number) => void systemClock.after(payload, () => process.exit(1)),
  }
}
