/**
 * Usage in a time span, summed by up to two keys. The figures are the same whether an hour is read from its sums or its usage rows:
 * rows are read where sums are out of date, and for hours that are cut by the span or by a day.
 */
import { sql } from 'drizzle-orm'
import { GatewayError } from '#shared/errors'
import { returned } from '#store/engine/rows'
import type { Db, Store } from '#store/engine/store'
import { inReport, refuseLeft } from '#store/ledger/report'
import { type Days, daysOf } from '#store/ledger/zone-days'
import { keptFromInstant, withoutCompiler } from './usage-hours.ts'
import { busyHours, hasFewSums, piecesOf } from './usage-pieces.ts'
import { floorOf, isWhole, statementOf, type UsageQuestion } from './usage-question.ts'
import { addedTo, type CountedUsage, countedOf, type SumRow, sumsOf, type UsageSums } from './usage-sums.ts'

/**
 * Runs a report: ascending by `keys`, one row more than the limit if there are more. Throws `invalid_value` for an unsupported span
 * or time zone, and what `inReport` throws of the reader's signal.
 */
export async function addUpUsage(store: Pick<Store, 'db' | 'engine'>, asked: UsageQuestion, signal?: AbortSignal): Promise<UsageSums[]> {
  const days = asked.by.includes('day') ? daysAsked(asked) : none
  const read = async (db: Db, piece: UsageQuestion) =>
    returned<SumRow>(await db.execute(statementOf(piece, days))).map((row) => countedOf(row, asked.by))
  if (store.engine === 'embedded') return (await inPieces(store.db, asked, read, signal)).map(sumsOf)
  const sums = await inReport(store, signal, async (tx) => {
    await tx.execute(sql`set local statement_timeout = '30s'`)
    await withoutCompiler(tx)
    await refuseCutHours(tx, asked)
    return read(tx, asked)
  })
  return sums.map(sumsOf)
}

/**
 * The embedded engine has one session, which the accounts need too: they have their turn between two pieces. What is written meanwhile is
 * in the pieces that are read after it.
 */
async function inPieces(
  db: Db,
  asked: UsageQuestion,
  read: (db: Db, piece: UsageQuestion) => Promise<CountedUsage[]>,
  signal: AbortSignal | undefined,
): Promise<CountedUsage[]> {
  await refuseCutHours(db, asked)
  let added: CountedUsage[] = []
  for (const span of piecesOf(asked, await busyHours(db, asked), await hasFewSums(db, asked))) {
    refuseLeft(signal)
    added = addedTo(added, await read(db, { ...asked, ...span })).slice(0, asked.limit + 1)
  }
  return added
}

const none: Days = { starts: [], names: [] }

function daysAsked({ timezone, from, to }: UsageQuestion): Days {
  try {
    return daysOf(timezone, floorOf(from), to)
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown
    throw new GatewayError('invalid_value', 'timezone: expected the name of a time zone, like Europe/Berlin.', { param: 'timezone' })
  }
}

/** Hours without usage rows can only be reported as a whole. */
async function refuseCutHours(tx: Db, { from, to }: UsageQuestion): Promise<void> {
  if (isWhole(from) && isWhole(to)) return
  const [kept] = returned<{ ms: string | null }>(
    await tx.execute(sql`select (extract(epoch from nullif(${keptFromInstant}, '-infinity')) * 1000)::text as ms`),
  )
  for (const [param, instant] of Object.entries({ from, to })) {
    if (isWhole(instant) || instant.getTime() >= Number(kept?.ms ?? 0)) continue
    const message = `${param}: usage of that time is stored by the hour; expected a full hour.`
    throw new GatewayError('invalid_value', message, { param })
  }
}
