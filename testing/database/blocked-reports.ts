/** Usage reports that never end, because a test locks the usage rows. */
import postgres from 'postgres'

/** The usage rows of one PostgreSQL database, and the reports that wait for them. */
export interface BlockedReports {
  /** Runs the work while no other connection can read usage rows. */
  while(work: () => Promise<void>): Promise<void>
  /** Resolves when this holds for the reports that wait in the database; each is identified by the start of its transaction. */
  until(isSo: (reports: readonly string[]) => boolean): Promise<readonly string[]>
  close(): Promise<void>
}

/** Connects to the database at this address. */
export function blockedReports(databaseUrl: string): BlockedReports {
  const client = postgres(databaseUrl, { max: 2, onnotice: () => {} })
  const waiting = async () => {
    // The server shows only the beginning of a statement: this is a report's.
    const rows = await client<{ since: string }[]>`
      select xact_start::text as since from pg_stat_activity
      where datname = current_database() and state = 'active' and wait_event_type = 'Lock' and query like '%apart as materialized%'`
    return rows.map(({ since }) => since)
  }
  return {
    async while(work) {
      await client.begin(async (tx) => {
        await tx`lock table logs in access exclusive mode`
        await work()
      })
    },
    async until(isSo) {
      for (;;) {
        const reports = await waiting()
        if (isSo(reports)) return reports
        await Bun.sleep(20)
      }
    },
    close: () => client.end({ timeout: 5 }),
  }
}
