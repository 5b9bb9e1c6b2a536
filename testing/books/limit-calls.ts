/** Counts the database calls that instances make for shared limits. */
import postgres from 'postgres'

/** The number of calls so far, of all instances together. */
export async function rateCalls(databaseUrl: string): Promise<number> {
  const client = postgres(databaseUrl, { max: 1 })
  try {
    const [row] = await client<{ calls: string }[]>`select coalesce(sum(seq), 0) as calls from rate_holders`
    return Number(row?.calls)
  } finally {
    await client.end({ timeout: 5 })
  }
}
