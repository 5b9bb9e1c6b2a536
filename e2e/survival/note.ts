/** The note beside a fixture, for readers. */
import type { Expected, ExpectedRequest } from './expected.ts'

const usd = (nanos: bigint) => `${nanos} nano-dollars`

/** The text of the note. */
export function noteOf(made: Expected): string {
  const of = (killed: ExpectedRequest['killed']) => made.requests.filter((row) => row.killed === killed)
  const sum = (rows: ExpectedRequest[]) => usd(rows.reduce((all, { charged }) => all + BigInt(charged), 0n))
  const about = made.engine === 'embedded' ? 'pglite/, the embedded database' : 'dump.sql, by pg_dump --inserts (PostgreSQL 15)'
  return `Fixture: ${made.engine}.tar.zst, a data folder after kill -9

Made ${made.made} by e2e/survival/make.ts with commit ${made.commit}. It is never made again.
Figures and secrets in full: ${made.engine}.json. Master key: ${made.masterKey}${made.engine === 'embedded' ? ' (data/master.key)' : ' (PARLEY_MASTER_KEY)'}

What is in it
  ${about}; data/journal, not brought home; parley.yaml
  sealed: ${Object.keys(made.channels).length + 1} channel keys, the check of the master key, a stored response, what is remembered of a tool call
  and of an account's state; in the client's hands an envelope and a compacted conversation (only in ${made.engine}.json)
  digested: passwords (one of them declared), sessions, API keys
  rows by table: ${Object.entries(made.rows)
    .map(([table, n]) => `${table} ${n}`)
    .join(', ')}
  sessions, recollections and stored responses were moved to 2099 by SQL

What a start on it must come to
  ${of('done').length} requests were in the books: ${sum(of('done'))}
  ${of('settled').length} were over, and only the journal knew: ${sum(of('settled'))}
  ${of('interrupted').length} were streaming, one of them with a hold that had grown, one of them a realtime session: ${sum(of('interrupted'))}
  ${made.opened.length} had no output: nothing, and no row
  free, in nano-dollars: ${Object.entries(made.free)
    .map(([account, free]) => `\n    ${account}: ${free}`)
    .join('')}
  nothing on lease, every instance closed

Charges, in nano-dollars
${made.requests.map(({ id, status, end, charged, killed }) => `  ${id} ${killed} ${status} ${end}: ${charged}`).join('\n')}
`
}
