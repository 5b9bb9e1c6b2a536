/** Commands that read requests and their kept bodies. */
import { borders, datasetForms, type KeptBody, type KeptPart } from '#shared/console/body'
import type { LogRow } from '#shared/console/log'
import { type Api, BrokenOff, CommandError } from './api.ts'
import { aboveZero, type Column, type Command, type Flag, facts, type Input, pick, queryOf, table, wholeNumber } from './command.ts'
import { datasetText, exportDataset } from './dataset.ts'
import { filters, span, spanOf } from './span-flags.ts'

const requestColumns: readonly Column<LogRow>[] = [
  ['at', (row) => row.at],
  ['request', (row) => row.requestId],
  ['status', (row) => row.status],
  ['end', (row) => row.end],
  ['model', (row) => row.model],
  ['key', (row) => row.key],
  ['charged', (row) => row.charged],
  ['ms', (row) => Math.round(row.totalMs)],
  ['error', (row) => row.error?.code],
]

const rowFlags: Readonly<Record<string, Flag>> = {
  'upstream-model': { value: 'MODEL', help: 'Answered by this model, as its upstream names it; administrators' },
  failed: { help: 'Only those that failed' },
  status: { value: 'STATUS', help: 'An HTTP status' },
  error: { value: 'CODE', help: 'An error code' },
  'error-text': { value: 'TEXT', help: 'Part of the error’s message' },
  end: { value: 'END', help: 'How it ended', of: ['complete', 'length', 'cut', 'aborted', 'error'] },
  'min-cost': { value: 'USD', help: 'Cost at least this' },
  'min-ms': { value: 'N', help: 'Took at least this long' },
}

/** The query of these flags. */
const rowsOf = (flags: Input['flags']): Record<string, string | undefined> => ({
  ...pick(flags, ['status', 'error', 'end', ...Object.keys(filters)]),
  ...spanOf(flags),
  ...(flags.failed !== undefined && { failed: 'true' }),
  errorText: flags['error-text'],
  upstreamModel: flags['upstream-model'],
  minCost: flags['min-cost'],
  minMs: flags['min-ms'],
})

/** A kept body: its border, its headers, and its content. */
function partText({ border, to, method, address, status, atMs, headers, text, bytes, broken }: KeptPart): string {
  const place = [border, to && `${to.channel}, ${to.model}`, method, address, status, broken].filter((one) => one !== undefined)
  const head = headers.map(([name, value]) => `${name}: ${value}`)
  return [`# ${place.join(' ')} (after ${atMs} ms, ${bytes} bytes)`, ...head, '', text ?? '(not text, or too long: --part)'].join('\n')
}

/** Requests per page, and how often a connection may break without progress. */
const atOnce = 1_000
const mostBreaks = 5
const waitMs = 500

interface Export {
  api: Pick<Api, 'lines'>
  asked: Record<string, string | undefined>
  most: number
  after: string | undefined
  write(line: string): Promise<void>
}

/** Writes every line; resolves to how many. Throws CommandError, which says where to continue. */
async function exportAll({ api, asked, most, after, write }: Export): Promise<number> {
  let count = 0
  let cursor = after
  for (let breaks = 0; count < most; ) {
    const limit = Math.min(atOnce, most - count)
    let came = 0
    try {
      for await (const line of api.lines(`/api/bodies/export${queryOf({ ...asked, limit: String(limit), after: cursor })}`)) {
        await write(line)
        cursor = /^\{"cursor":"([^"]+)"/.exec(line)?.[1]
        came += 1
        breaks = 0
      }
      count += came
      if (came < limit) return count
    } catch (thrown) {
      count += came
      if (!(thrown instanceof BrokenOff)) throw thrown
      breaks += 1
      if (breaks > mostBreaks) throw new CommandError(`${thrown.message}${cursor === undefined ? '' : ` Continue with --after ${cursor}`}`)
      await new Promise((resolve) => setTimeout(resolve, waitMs * breaks))
    }
  }
  return count
}

/** `requests`. */
export const requestCommands: readonly Command[] = [
  {
    words: 'requests list',
    flags: { ...span, ...filters, limit: { value: 'N', help: 'Rows; 50 when absent' }, ...rowFlags },
    help: 'Requests, newest first',
    async run({ api, flags }) {
      const most = aboveZero(flags.limit ?? '50', 'limit')
      const rows = await api.list<LogRow>(`/api/logs${queryOf(rowsOf(flags))}`, most)
      return { value: rows, text: table(rows, requestColumns, 'No requests.') }
    },
  },
  {
    words: 'requests export',
    flags: {
      since: { value: 'TIME', help: 'The same as --from' },
      ...span,
      ...filters,
      ...rowFlags,
      borders: { value: 'A,B', help: `Some of ${borders.join(', ')}; all when absent`, of: borders },
      as: { value: 'FORM', help: 'Conversations as a data set in an OpenAI format: evals or fine-tuning', of: datasetForms },
      limit: { value: 'N', help: 'Most requests; all when absent' },
      out: { value: 'FILE', help: 'Appends the lines to this file; standard output when absent' },
      after: { value: 'CURSOR', help: 'Continues after the line with this `cursor`' },
    },
    help: 'Kept requests with their bodies, as lines of JSON, newest first; resumes automatically when the connection breaks',
    async run({ api, flags, files, say }) {
      const { since, out } = flags
      const asked = { ...rowsOf({ ...flags, from: flags.from ?? since }), ...pick(flags, ['borders']) }
      const write = out === undefined ? async (line: string) => say(line) : (line: string) => files.append(out, `${line}\n`)
      // Reports a file that cannot be written before anything is requested.
      if (out !== undefined) await files.append(out, '')
      const most = flags.limit === undefined ? Number.POSITIVE_INFINITY : aboveZero(flags.limit, 'limit')
      const as = datasetForms.find((form) => form === flags.as)
      if (as) {
        const made = await exportDataset({ api, as, asked, most, after: flags.after, write })
        return { value: made, text: out === undefined ? '' : datasetText(made, out) }
      }
      const count = await exportAll({ api, asked, most, after: flags.after, write })
      return { value: { requests: count }, text: out === undefined ? '' : `${count} requests are in ${out}.` }
    },
  },
  {
    words: 'requests get',
    args: ['REQUEST'],
    flags: { part: { value: 'N', help: 'Only this body, unchanged: 0 is what the client sent' } },
    help: 'Request and answer of a kept request',
    async run({ api, args: [id = ''], flags }) {
      const path = `/api/bodies/${encodeURIComponent(id)}`
      if (flags.part !== undefined) {
        const text = await api.text(`${path}/${wholeNumber(flags.part, 'part')}`)
        return { value: text, text }
      }
      const kept = await api.call<KeptBody>('GET', path)
      return { value: kept, text: kept.parts.map(partText).join('\n\n') }
    },
  },
  {
    words: 'requests show',
    args: ['REQUEST'],
    help: 'One request, by its id',
    async run({ api, args: [id = ''] }) {
      const row = await api.call<LogRow>('GET', `/api/logs/${encodeURIComponent(id)}`)
      return { value: row, text: facts(row) }
    },
  },
]
