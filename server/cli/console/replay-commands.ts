/** Commands that replay kept requests. */
import type { LogRow } from '#shared/console/log'
import {
  type NewReplay,
  type ReplayDetail,
  type ReplayEstimate,
  type ReplayItemRow,
  type ReplayQuestion,
  type ReplayRow,
  type ReplayTarget,
  replayBounds,
} from '#shared/console/replay'
import { CommandError } from './api.ts'
import { aboveZero, type Column, type Command, type Input, listOf, type Output, pick, queryOf, table } from './command.ts'
import { instantOf } from './span-flags.ts'

/** Polling interval of a job, in milliseconds. */
const lookMs = 500

const jobColumns: readonly Column<ReplayRow>[] = [
  ['replay', (row) => row.id],
  ['at', (row) => row.at],
  ['state', (row) => row.state],
  ['requests', (row) => row.requests],
  ['targets', (row) => row.targets.map(targetText).join(', ')],
  ['done', (row) => row.items.done],
  ['failed', (row) => row.items.failed + row.items.interrupted],
  ['left', (row) => row.items.waiting + row.items.running],
  ['charged', (row) => row.charged],
]

const itemColumns: readonly Column<ReplayItemRow & { named: string }>[] = [
  ['n', (row) => row.n],
  ['request', (row) => row.requestId],
  ['target', (row) => row.named],
  ['state', (row) => row.error?.code ?? row.state],
  ['text', (row) => (row.difference ? (row.difference.text === 'same' ? 'same' : `${row.difference.alike ?? '?'}%`) : null)],
  ['calls', (row) => row.difference?.calls],
  ['finish', (row) => row.result?.answer?.finish],
  ['out', (row) => row.result?.tokensOut],
  ['was', (row) => row.original?.tokensOut],
  ['ms', (row) => row.result && Math.round(row.result.totalMs)],
  ['was', (row) => row.original && Math.round(row.original.totalMs)],
  ['charged', (row) => row.result?.charged],
  ['was', (row) => row.original?.charged],
]

function targetText({ model, channel, sameChannel, set, remove }: ReplayTarget): string {
  const changed = [...Object.keys(set ?? {}), ...(remove ?? []).map((name) => `-${name}`)]
  const where = channel ?? (sameChannel ? 'the same channel' : undefined)
  return [model ?? 'as asked', where && `on ${where}`, changed.length > 0 && `with ${changed.join(' ')}`].filter(Boolean).join(' ')
}

function detailText(job: ReplayDetail): string {
  const named = job.results.map((item) => ({ ...item, named: targetText(job.targets[item.target] ?? {}) }))
  const sums = job.totals.map(
    ({ target, done, charged, originalCharged, sameText, sameCalls }) =>
      `${targetText(job.targets[target] ?? {})}: ${done} done, ${charged} USD (originals ${originalCharged}), ${sameText} with the same text, ${sameCalls} with the same calls`,
  )
  return [`${job.id}: ${job.state}, ${job.charged} USD charged`, table(named, itemColumns, 'No items.'), ...sums].join('\n')
}

/** Conditions of `--filter`, the same as flags of `requests list`. */
const conditions = ['user', 'key', 'group', 'model', 'channel', 'status', 'error', 'end', 'failed', 'from', 'to'] as const

async function requestsOf({ api, args, flags }: Input): Promise<string[]> {
  const given = listOf(args[0])
  if ((given === undefined) === (flags.filter === undefined)) throw new CommandError('Give request ids, or use --filter.', 2)
  if (given) return given
  const pairs = (listOf(flags.filter) ?? []).map((pair) => pair.split('='))
  const unknown = pairs.find(([name, value]) => !conditions.some((one) => one === name) || value === undefined)
  if (unknown) throw new CommandError(`--filter takes NAME=VALUE,... of ${conditions.join(', ')}.`, 2)
  const asked = Object.fromEntries(
    pairs.map(([name, value = '']) => [name, name === 'from' || name === 'to' ? instantOf(value, name) : value]),
  )
  const rows = await api.list<LogRow>(`/api/logs${queryOf(asked)}`, replayBounds.asked)
  if (rows.length === 0) throw new CommandError('No request matches.')
  return rows.map(({ requestId }) => requestId)
}

function targetsOf(flags: Input['flags']): ReplayTarget[] {
  const set = flags.set === undefined ? undefined : fieldsOf(flags.set)
  const remove = listOf(flags.remove)
  const more = {
    ...pick(flags, ['channel']),
    ...(flags['same-channel'] !== undefined && { sameChannel: true }),
    ...(set && { set }),
    ...(remove && { remove }),
  }
  return (listOf(flags.model) ?? [undefined]).map((model) => ({ ...(model !== undefined && { model }), ...more }))
}

function fieldsOf(text: string): Record<string, unknown> {
  try {
    const fields: unknown = JSON.parse(text)
    if (typeof fields === 'object' && fields !== null && !Array.isArray(fields)) return fields as Record<string, unknown>
  } catch {
    // Reported below.
  }
  throw new CommandError('--set takes a JSON object of fields, such as {"temperature":0}.', 2)
}

async function replay(input: Input): Promise<Output> {
  const { api, flags, confirm, say } = input
  const most = Math.min(aboveZero(flags.limit ?? String(replayBounds.requests), 'limit'), replayBounds.requests)
  const question: ReplayQuestion = { requestIds: await requestsOf(input), targets: targetsOf(flags), ...pick(flags, ['group', 'team']) }
  const all = await api.call<ReplayEstimate>('POST', '/api/replays/estimate', question)
  if (all.requestIds.length === 0) throw new CommandError('None of these requests is kept and readable by you.')
  const requestIds = all.requestIds.slice(0, most)
  const estimate =
    requestIds.length === all.requestIds.length
      ? all
      : await api.call<ReplayEstimate>('POST', '/api/replays/estimate', { ...question, requestIds })
  const ceiling = flags.ceiling ?? estimate.ceiling
  const left = all.refused.length > 0 ? ` ${all.refused.length} others are not kept.` : ''
  say(`${requestIds.length} requests on ${question.targets.length} targets: about ${estimate.expected} USD, ${ceiling} at most.${left}`)
  if (flags.yes === undefined && !(await confirm('Replay them?'))) throw new CommandError('Nothing was sent. Answer y, or pass --yes.')
  const asked: NewReplay = { ...question, requestIds, ceiling }
  const job = await api.call<ReplayRow>('POST', '/api/replays', asked)
  if (flags.detach !== undefined) return { value: job, text: job.id }
  const over = await ended(input, job.id)
  return { value: over, text: detailText(over), ...(over.items.done === 0 && { code: 1 }) }
}

async function ended({ api }: Input, id: string): Promise<ReplayDetail> {
  for (;;) {
    const job = await api.call<ReplayDetail>('GET', `/api/replays/${id}`)
    if (job.state !== 'running') return job
    await new Promise((resolve) => setTimeout(resolve, lookMs))
  }
}

const path = (id: string) => `/api/replays/${encodeURIComponent(id)}`

/** `replay` and the commands on its jobs. */
export const replayCommands: readonly Command[] = [
  {
    words: 'replay list',
    flags: { limit: { value: 'N', help: 'Rows; 50 when absent' } },
    help: 'Your replays, newest first',
    async run({ api, flags }) {
      const rows = await api.list<ReplayRow>('/api/replays', aboveZero(flags.limit ?? '50', 'limit'))
      return { value: rows, text: table(rows, jobColumns, 'No replays.') }
    },
  },
  {
    words: 'replay show',
    args: ['REPLAY'],
    flags: {
      csv: { help: 'The results as CSV' },
      jsonl: { help: 'The results as JSON lines' },
      answers: { help: 'With both answers, as JSON lines' },
    },
    help: 'A replay with its results',
    async run({ api, args: [id = ''], flags }) {
      const format = flags.csv !== undefined ? 'csv' : flags.jsonl !== undefined || flags.answers !== undefined ? 'jsonl' : undefined
      if (format !== undefined) {
        const text = await api.text(`${path(id)}/export${queryOf({ format, ...(flags.answers !== undefined && { answers: 'true' }) })}`)
        return { value: text, text: text.replace(/\r?\n$/, '') }
      }
      const job = await api.call<ReplayDetail>('GET', path(id))
      return { value: job, text: detailText(job) }
    },
  },
  {
    words: 'replay stop',
    args: ['REPLAY'],
    help: 'Stops a replay; running items are finished',
    async run({ api, args: [id = ''] }) {
      const job = await api.call<ReplayRow>('POST', `${path(id)}/stop`)
      return { value: job, text: job.stopping ? `${id} stops when what was begun has ended.` : `${id} is over: ${job.state}.` }
    },
  },
  {
    words: 'replay',
    args: ['[REQUEST,...]'],
    flags: {
      filter: { value: 'NAME=VALUE,...', help: `The newest kept requests that match: ${conditions.join(', ')}` },
      model: { value: 'A,B', help: 'Up to four models; the original’s when absent' },
      channel: { value: 'CHANNEL', help: 'Only this channel (administrators)' },
      'same-channel': { help: 'Only the channel that answered the original' },
      set: { value: 'JSON', help: 'Fields of the body to set' },
      remove: { value: 'A,B', help: 'Fields of the body to remove' },
      group: { value: 'GROUP', help: 'The group; your own when absent' },
      team: { value: 'TEAM', help: 'The team that pays; you when absent' },
      ceiling: { value: 'USD', help: 'Begin nothing more once this is reached; twice the expected cost when absent' },
      limit: { value: 'N', help: `Most requests; ${replayBounds.requests} when absent` },
      detach: { help: 'Do not wait for the end' },
      yes: { help: 'Do not ask' },
    },
    help: 'Sends kept requests again, at your expense or a team’s, and compares the answers',
    run: replay,
  },
]
