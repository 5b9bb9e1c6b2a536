/** The metrics of this process in Prometheus' text format. Names begin with `parley_`; amounts are dollars, times seconds. */
import { Counter, Gauge, Registry } from 'prom-client'
import type { LeaseLevel } from '#billing/lease/lease-levels'
import type { Books } from '#billing/ledger/books'
import type { BooksLevels } from '#billing/ledger/leased-books'
import type { DatabaseCall } from '#store/engine/guard'
import type { NewLog } from '#store/ledger/ledger'
import type { BackupState } from '#store/schema-moves/backups'
import { addDuration, type DurationSums, durationSums, registerDurations } from './durations.ts'
import { createRequestSeries } from './request-series.ts'

/** Values read on each scrape. */
export interface MetricSources {
  version: string
  /** Requests and sessions that are not settled yet. */
  openRequests(): number
  /** Of these, streamed answers and realtime sessions. */
  openStreams(): number
  /** The longest delay of the event loop since the last call, in milliseconds. */
  eventLoopDelay(): number
  /** Whether requests can be paid for. */
  booksServe(): boolean
  /** The share of the journal that waits for the database, from 0 to 1. */
  journalShare(): number
  /** Holds, leases and charges. */
  books(): BooksLevels
  /** The name of an existing team. */
  teamName(id: string): string | undefined
  /** Requests whose bodies were stored, and whose bodies should have been stored and were not. */
  bodies(): { kept: number; dropped: number; stopped: unknown }
  /** Backups on a timer; absent: not configured. */
  backups?: (() => BackupState) | undefined
  /** Number of open breakers by channel name. */
  openBreakers(): ReadonlyMap<string, number>
}

export interface Metrics {
  /** Counts a finished request. */
  observe(row: NewLog): void
  /** Counts a call of the database. */
  databaseCall(call: DatabaseCall): void
  /** Everything in text format. */
  text(): Promise<string>
  /** The media type of `text`. */
  readonly contentType: string
}

const callTimes = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5]
const usd = (nano: bigint | number) => Number(nano) / 1e9
const requestLabels = ['operation', 'dialect', 'model', 'channel', 'group', 'status']

/** Starts counting. Every call creates its own registry. */
export function createMetrics(sources: MetricSources): Metrics {
  const registry = new Registry()
  const series = createRequestSeries()
  const registers = [registry]
  /** Once per scrape: iterating over every lease is not free. */
  let books: BooksLevels

  /** A counter whose values are set from sums on each scrape. */
  function counter(name: string, help: string, labelNames: string[], fill: (add: (labels: object, value: number) => void) => void): void {
    new Counter({
      ...{ name, help, labelNames, registers },
      collect() {
        this.reset()
        fill((labels, value) => this.inc(labels, value))
      },
    })
  }
  function gauge(name: string, help: string, read: () => number): void {
    new Gauge({
      ...{ name, help, registers },
      collect() {
        this.set(read())
      },
    })
  }

  /** For wallets and for budgets. */
  function levels(name: string, help: string, read: (level: LeaseLevel) => number): void {
    new Gauge({
      ...{ name, help, labelNames: ['account'], registers },
      collect() {
        const { wallets, budgets } = books
        this.set({ account: 'wallet' }, read(wallets))
        this.set({ account: 'budget' }, read(budgets))
      },
    })
  }

  counter('parley_requests_total', 'Finished requests.', requestLabels, (add) => {
    for (const { labels, requests } of series.requests) add(labels, requests)
  })
  counter('parley_tokens_total', 'Tokens, by kind; reasoning is a part of output.', ['model', 'channel', 'group', 'kind'], (add) => {
    for (const { labels, tokens } of series.requests) {
      const { model, channel, group } = labels
      for (const [kind, amount] of Object.entries(tokens)) if (amount > 0) add({ model, channel, group, kind: snakeCase(kind) }, amount)
    }
  })
  counter('parley_cost_usd_total', 'What requests cost at the prices of this installation.', ['model', 'channel', 'group'], (add) => {
    for (const { labels, cost } of series.requests) add(placeOf(labels), usd(cost))
  })
  counter(
    'parley_upstream_cost_usd_total',
    'What upstreams charge, where their prices are known.',
    ['model', 'channel', 'group'],
    (add) => {
      for (const { labels, upstreamCost } of series.requests) add(placeOf(labels), usd(upstreamCost))
    },
  )
  counter(
    'parley_charged_usd_total',
    'What accounts were charged: less than the cost where nobody pays or too little was left.',
    [],
    (add) => {
      add({}, usd(books.charged))
    },
  )
  counter('parley_key_cost_usd_total', 'What the requests of a key cost.', ['key'], (add) => {
    for (const [key, { cost }] of series.keys) add({ key }, usd(cost))
  })
  counter('parley_team_cost_usd_total', 'What the requests of a team cost.', ['team'], (add) => {
    for (const [id, { cost }] of series.teams) add({ team: sources.teamName(id) ?? id }, usd(cost))
  })
  counter('parley_errors_total', 'Requests that ended with an error.', ['operation', 'code'], (add) => {
    for (const { labels, count } of series.errors) add(labels, count)
  })
  counter('parley_failed_attempts_total', 'Attempts that failed, also where another one answered.', ['channel', 'cause'], (add) => {
    for (const { labels, count } of series.failedAttempts) add(labels, count)
  })
  counter('parley_retries_total', 'Attempts after the first one of a request.', ['channel'], (add) => {
    for (const { labels, count } of series.retries) add(labels, count)
  })
  counter('parley_fallbacks_total', 'Requests that a fallback model answered.', ['model', 'to'], (add) => {
    for (const { labels, count } of series.fallbacks) add(labels, count)
  })
  registerDurations(registry, 'parley_request_duration_seconds', 'From the arrival of a request to its end.', () => series.totals)
  registerDurations(
    registry,
    'parley_first_token_seconds',
    'From the arrival of a request to the first token of its answer.',
    () => series.firstTokens,
  )
  gauge('parley_open_requests', 'Requests and sessions that are not settled.', sources.openRequests)
  gauge('parley_open_streams', 'Of these, streamed answers and realtime sessions.', sources.openStreams)
  gauge('parley_event_loop_delay_seconds', 'The longest delay since the last scrape.', () => sources.eventLoopDelay() / 1000)
  gauge('parley_books_serving', '1 while requests can be paid for.', () => Number(sources.booksServe()))
  gauge('parley_journal_waiting_ratio', 'The share of the journal that waits for the database, from 0 to 1.', sources.journalShare)
  gauge('parley_open_holds', 'Requests for which money is held.', () => books.holds)
  gauge('parley_waiting_holds', 'Requests that wait for the database, or for another instance, to be paid for.', () => books.waiting)
  levels('parley_leases', 'Accounts of which this instance has money on lease.', (level) => level.leases)
  levels('parley_leased_usd', 'What this instance has on lease.', (level) => usd(level.leased))
  levels('parley_held_usd', 'What of that is held for open requests.', (level) => usd(level.held))
  const calls = new Map<string, DurationSums>()
  registerDurations(registry, 'parley_database_call_seconds', 'Calls of the database, by who makes them.', () =>
    [...calls].map(([kind, sums]) => ({ labels: { kind }, sums })),
  )
  const failedCalls = new Counter({
    ...{ name: 'parley_database_failed_calls_total', help: 'Calls of the database that failed.', labelNames: ['kind'], registers },
  })
  const { backups } = sources
  gauge('parley_backup_interval_seconds', 'How often a backup is made; 0: none is.', () => (backups?.().everyMs ?? 0) / 1000)
  gauge(
    'parley_last_backup_timestamp_seconds',
    'When the newest backup was made; 0: there is none.',
    () => (backups?.().lastAt ?? 0) / 1000,
  )
  counter('parley_backup_failures_total', 'Backups that could not be made.', [], (add) => add({}, backups?.().failures ?? 0))
  counter('parley_kept_bodies_total', 'Requests that were to be kept: those that are, and those that were dropped.', ['result'], (add) => {
    const { kept, dropped } = sources.bodies()
    add({ result: 'kept' }, kept)
    add({ result: 'dropped' }, dropped)
  })
  gauge('parley_keeping_bodies_stopped', '1 while nothing can be kept.', () => Number(sources.bodies().stopped !== null))
  gauge('process_resident_memory_bytes', 'Memory of this process.', () => process.memoryUsage.rss())
  counter('process_cpu_seconds_total', 'CPU time of this process.', [], (add) => {
    const { user, system } = process.cpuUsage()
    add({}, (user + system) / 1e6)
  })
  new Gauge({
    ...{
      name: 'parley_open_breakers',
      help: 'Breakers that are open, of keys and models of a channel.',
      labelNames: ['channel'],
      registers,
    },
    collect() {
      this.reset()
      for (const [channel, open] of sources.openBreakers()) this.set({ channel }, open)
    },
  })
  new Gauge({ name: 'parley_info', help: 'The running version.', labelNames: ['version'], registers }).set({ version: sources.version }, 1)

  return {
    observe: series.add,
    databaseCall({ kind, ms, failed }) {
      const known = calls.get(kind) ?? durationSums(callTimes)
      calls.set(kind, known)
      addDuration(known, ms / 1000)
      if (failed) failedCalls.inc({ kind })
    },
    text() {
      books = sources.books()
      return registry.metrics()
    },
    contentType: registry.contentType,
  }
}

/** The same books; each of `observers` gets every usage row. */
export function observed<B extends Books>(books: B, observers: readonly ((row: NewLog) => void)[]): B {
  if (observers.length === 0) return books
  const counting =
    (write: (row: NewLog) => Promise<void>) =>
    (row: NewLog): Promise<void> => {
      for (const observe of observers) observe(row)
      return write(row)
    }
  return { ...books, settle: counting(books.settle), release: counting(books.release), record: counting(books.record) }
}

const placeOf = ({ model, channel, group }: { model: string; channel: string; group: string }) => ({ model, channel, group })
const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
