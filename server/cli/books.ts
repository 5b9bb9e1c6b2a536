/**
 * `parley books check`: checks the whole books. On PostgreSQL it asks the database, while Parley runs or not; an embedded database that is
 * in use is checked by its own Parley, over the API.
 */
import { parseArgs } from 'node:util'
import { readConfig } from '#app/config'
import { checkBooks } from '#billing/ledger/books-check'
import { systemClock as clock } from '#runtime/clock'
import { environment, exit, fail, printLine } from '#runtime/process'
import type { BooksReport } from '#shared/console/books'
import { type Place, placeOf, withDatabase } from '#store/schema-moves/location'
import { openAdminApi } from './console-session.ts'

/** Help text of `parley books`. */
export const usage = `bun server/cli.ts books check [--at WHERE] [--journals FOLDER]... [--url URL] [--json]

Checks the ledger, usage rows, sums, budgets, leases and journals, and reports what is wrong. Changes nothing.
WHERE is the URL of a PostgreSQL database or a data folder. Default: DATABASE_URL, else PARLEY_DATA.
--journals: the folder \`journal\` in the data folder of each instance; default: that of PARLEY_DATA.
A data folder that is in use is checked through its Parley, called as by \`route\`.
Exit codes: 0 the books are exact, 1 they are not, 2 they could not be checked.`

const text = { type: 'string' } as const
const options = { at: text, journals: { type: 'string', multiple: true }, url: text, json: { type: 'boolean' } } as const

function readArguments(args: string[]) {
  try {
    return parseArgs({ args, options, allowPositionals: true })
  } catch {
    return fail(`Usage: ${usage}`, 2)
  }
}

/** Runs the command and exits: 0 when the books are exact, 1 when they are not, 2 when they could not be checked. */
export async function books(args: string[]): Promise<void> {
  const { values, positionals } = readArguments(args)
  if (positionals.length !== 1 || positionals[0] !== 'check') fail(`Usage: ${usage}`, 2)
  const report = await reported(values).catch((thrown: unknown) => {
    process.stderr.write(`parley books check: ${thrown instanceof Error ? thrown.message.split('\n')[0] : String(thrown)}\n`)
    return exit(2)
  })
  printLine(values.json ? JSON.stringify(report, undefined, 2) : booksText(report))
  exit(report.exact ? 0 : 1)
}

async function reported({ at, journals, url }: ReturnType<typeof readArguments>['values']): Promise<BooksReport> {
  const { databaseUrl, dataFolder } = readConfig(environment())
  const place = placeOf(at ?? databaseUrl ?? dataFolder)
  const folder = place.engine === 'embedded' ? place.where : dataFolder
  return checked(place, journals ?? [`${folder}/journal`], url)
}

async function checked(place: Place, journals: readonly string[], url: string | undefined): Promise<BooksReport> {
  try {
    return await withDatabase(place, (db) =>
      checkBooks({ store: { db, engine: place.engine }, journals, now: clock.now(), isPatient: true }),
    )
  } catch (thrown) {
    if (place.engine === 'postgres' || !(thrown instanceof Error && /is used by another Parley/.test(thrown.message))) throw thrown
    return fromParley(url)
  }
}

async function fromParley(url: string | undefined): Promise<BooksReport> {
  const api = await openAdminApi(url)
  const report = await api.call<BooksReport>('GET', '/api/books')
  await api.close()
  return report
}

/** The report for a person. */
export function booksText({ at, exact, balance, leased, looked, parts, faults, notes }: BooksReport): string {
  const total = Object.values(parts).reduce((sum, count) => sum + count, 0)
  const line = (part: keyof typeof parts, what: string) =>
    `${part.padEnd(9)}${(parts[part] === 0 ? 'exact' : `${parts[part]} wrong`).padEnd(10)}${what}`
  return [
    `The books at ${at}: ${exact ? 'exact' : `${total} wrong`}. Balances ${balance} USD, of which ${leased} USD is on lease.`,
    line('ledger', `${looked.wallets} wallets, ${looked.entries} entries`),
    line('rows', `${looked.rows} usage rows, ${looked.unsettled} not settled`),
    line('sums', `${looked.hours} sums of hours`),
    line('budgets', `${looked.budgets} budgets`),
    line('leases', `${looked.leases} leases`),
    line('journals', `${looked.journals} journals, ${looked.requestsInJournals} requests`),
    ...faults.map(({ part, rule, what, found }) => `WRONG ${part}: ${rule}: ${what}: ${found}`),
    ...(total > faults.length ? [`and ${total - faults.length} more`] : []),
    ...notes.map((note) => `note: ${note}`),
  ].join('\n')
}
