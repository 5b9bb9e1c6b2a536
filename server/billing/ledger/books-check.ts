/**
 * Checks the books and reports discrepancies: the ledger, usage rows, their sums, budgets and leases by the rules of the store, and the
 * journals of instances against the database. Changes nothing.
 */

import { endsIn } from '#billing/journal/journal-ends'
import { folderFacts } from '#runtime/folder'
import { namesIn } from '#runtime/segment'
import { type BooksFault, type BooksReport, booksParts } from '#shared/console/books'
import { formatUsd } from '#shared/money'
import type { Db, Store } from '#store/engine/store'
import {
  type BooksExtent,
  booksExtent,
  brokenRules,
  type LivingInstance,
  livingInstances,
  rowsOf,
  waitForStatements,
} from '#store/ledger/books-rules'
import { lastCallOf } from '#store/ledger/instances'
import { inReport, refuseLeft } from '#store/ledger/report'

/** Options of a check. */
export interface BooksCheck {
  store: Pick<Store, 'db' | 'engine'>
  /** Aborted when the client has disconnected. */
  signal?: AbortSignal
  /** Folders with journals: `journal` of each data folder. */
  journals: readonly string[]
  /** Milliseconds since 1970. */
  now: number
  /** No time limit; otherwise that of a report. */
  isPatient?: boolean
}

const mostFaults = 100
/** Seconds. An idle instance calls every ten. */
const missingAfter = 60

interface Journals {
  faults: BooksFault[]
  notes: string[]
  seen: Set<string>
  count: number
  requests: number
}

/**
 * Reads the books: on PostgreSQL as of one moment; on the embedded engine, whose only session the accounts need too, rule by rule, each as
 * of one moment. Rejects when the database or a journal cannot be read, and when `signal` is aborted.
 */
export async function checkBooks({ store, signal, journals: folders, now, isPatient = false }: BooksCheck): Promise<BooksReport> {
  const { db } = store
  // First the journals: the database must by then have everything in those of closed instances.
  const journals: Journals = { faults: [], notes: [], seen: new Set(), count: 0, requests: 0 }
  for (const folder of folders) await checkFolder(db, folder, journals, signal)
  const look = async (place: Pick<Store, 'db'>) => ({
    broken: await brokenRules(place, store.engine === 'embedded', signal),
    extent: await booksExtent(place),
    living: await livingInstances(place),
  })
  const inOneMoment = async (tx: Db) => {
    if (isPatient) await waitForStatements(tx)
    return look({ db: tx })
  }
  const { broken, extent, living } =
    store.engine === 'embedded'
      ? await look(store)
      : await inReport(store, signal, inOneMoment, { isolationLevel: 'repeatable read', accessMode: 'read only' })
  const faults: BooksFault[] = [...broken, ...journals.faults]
  const count = (part: BooksFault['part']) => faults.filter((fault) => fault.part === part).length
  const parts = Object.fromEntries(booksParts.map((part) => [part, count(part)])) as BooksReport['parts']
  return {
    at: new Date(now).toISOString(),
    exact: faults.length === 0,
    balance: formatUsd(extent.balance),
    leased: formatUsd(extent.leased),
    looked: { ...lookedAt(extent), journals: journals.count, requestsInJournals: journals.requests },
    parts,
    faults: faults.slice(0, mostFaults),
    notes: [...journals.notes, ...aboutInstances(living, journals.seen), ...aboutUnsettled(extent)],
  }
}

const lookedAt = ({ wallets, budgets, entries, rows, hours, leases, unsettled }: BooksExtent) => ({
  ...{ wallets, budgets, entries, rows, hours, leases, unsettled },
})

function aboutInstances(living: readonly LivingInstance[], seen: ReadonlySet<string>): string[] {
  return living.flatMap(({ id, unseenSeconds, leased }) => [
    ...(unseenSeconds > missingAfter
      ? [
          `instance ${id} has been missing for ${unseenSeconds} s; its ${formatUsd(leased)} USD on lease wait for its journal or its write-off`,
        ]
      : []),
    ...(seen.has(`${id}`) ? [] : [`the journal of instance ${id} was not looked at`]),
  ])
}

const aboutUnsettled = ({ unsettled }: BooksExtent) => (unsettled > 0 ? [`${unsettled} interrupted requests may still be corrected`] : [])

async function checkFolder(db: Db, folder: string, journals: Journals, signal: AbortSignal | undefined): Promise<void> {
  if ((await folderFacts(folder)) === undefined) {
    journals.notes.push(`there is no journal in ${folder}`)
    return
  }
  for (const name of await namesIn(folder)) {
    const path = `${folder}/${name}`
    if (/^\d+\.kept$/.test(name)) {
      journals.faults.push({
        part: 'journals',
        rule: 'J3 a journal is of this database, and all of it can be written',
        what: path,
        found: name,
      })
    } else if (/^\d+$/.test(name)) await checkJournal(db, path, name, journals, signal)
  }
}

/** The journal of a closed instance is entirely in the books; that of a live one may be ahead of them. */
async function checkJournal(db: Db, path: string, name: string, journals: Journals, signal: AbortSignal | undefined): Promise<void> {
  journals.seen.add(name)
  journals.count += 1
  // Read before its lines: an instance that is closed by now has written them.
  const isClosed = (await lastCallOf({ db }, BigInt(name)))?.state !== 'live'
  let ahead = 0
  for await (const { ended, bad } of endsIn(path)) {
    refuseLeft(signal)
    journals.requests += ended.length
    if (bad > 1) journals.faults.push({ part: 'journals', rule: 'J1 every line can be read', what: path, found: `${bad}` })
    const rows = await rowsOf(
      { db },
      ended.map(({ row }) => row.requestId),
    )
    for (const { row } of ended) {
      const known = rows.get(row.requestId)
      if (known === undefined) ahead += 1
      else if (known.cost !== row.cost) {
        const found = `${known.cost} instead of ${row.cost}`
        journals.faults.push({ part: 'journals', rule: 'J4 a row costs what its journal says', what: row.requestId, found })
      }
    }
  }
  if (ahead === 0) return
  if (isClosed)
    journals.faults.push({ part: 'journals', rule: 'J2 what a closed instance wrote is in the books', what: path, found: `${ahead}` })
  else journals.notes.push(`${ahead} ended requests of instance ${name} are on their way to the database`)
}
