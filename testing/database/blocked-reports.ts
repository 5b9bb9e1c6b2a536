/** Usage reports that come to no end, because a test keeps the usage rows for itself. */
import postgres from 'postgres'

/** The usage rows of one PostgreSQL database, and who waits for them. */
export interface BlockedReports {
  /** Runs the work while nobody else can read usage rows. */
  while(work: () => Promise<void>): Promise<void>
  /** Resolves when this holds of the reports that wait in the database; each is told by when its transaction began. */
  until(isSo: (reports: readonly string[]) => boolean): Promise<readonly string[]>
  close(): Promise<void>
}

/** Connects to the database at this address. */
export function blockedReports(databaseUrl: string): BlockedReports {
  const client = postgres(databaseUrl, { max: 2, onnotice: () => {} })
  const waiting = async () => {
    // Of a statement the server keeps its beginning only: this is of a report's.
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
