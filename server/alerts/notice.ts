/**
 * Derives notices from figures: plain values in, notices out. `once` identifies a notice for deduplication: its kind,
 * subject, threshold and window.
 */
import type { AlertData, AlertKind } from '#shared/console/alert'
import type { BudgetState } from '#shared/console/overview'
import type { UsageReportRow } from '#shared/console/usage'

/** A condition to alert about. */
export interface Notice {
  kind: AlertKind
  once: string
  data: AlertData
}

/** Base of links to the console. */
export interface Links {
  /** `https://ai.example.com` */
  publicUrl: string
}

const day = (now: number) => new Date(now).toISOString().slice(0, 10)
const hour = (now: number) => new Date(now).toISOString().slice(0, 13)

const thresholds = [50, 80, 100]

/** The console page about this. Groups and models are identified by name, a member by `<team>.<user>`. */
function pathOf(of: 'key' | 'user' | 'group' | 'team' | 'member' | 'channel' | 'model', id: string): string {
  const name = encodeURIComponent(of === 'member' ? (id.split('.')[0] ?? '') : id)
  const paths = {
    ...{ key: `/keys/${name}`, user: `/admin/users/${name}`, channel: `/admin/channels/${name}` },
    ...{ group: `/admin/groups?open=${name}`, team: `/admin/teams?open=${name}`, member: `/admin/teams?open=${name}` },
    ...{ model: `/admin/prices?open=${name}` },
  }
  return paths[of]
}

/** When a budget window began, as text; UTC days, weeks and months are close enough to distinguish windows. */
function windowOf(window: BudgetState['window'], now: number): string {
  if (window === 'daily') return day(now)
  if (window === 'monthly') return day(now).slice(0, 7)
  if (window === 'weekly') return `week-${Math.floor((now / 86_400_000 + 3) / 7)}`
  return 'total'
}

/** The highest threshold reached by each budget. */
export function ofBudgets(states: readonly BudgetState[], now: number, { publicUrl }: Links): Notice[] {
  return states.flatMap(({ of, id, name, window, limit, left, share }): Notice[] => {
    const percent = thresholds.findLast((each) => share * 100 >= each)
    if (percent === undefined) return []
    const text = `The ${window} budget of the ${of} ${name} is ${percent === 100 ? 'used up' : `${percent} % used`}.`
    return [
      {
        kind: 'budget',
        once: `budget:${of}:${id}:${window}:${percent}:${limit}:${windowOf(window, now)}`,
        data: {
          text,
          link: publicUrl + pathOf(of, id),
          subject: { kind: of, id, name },
          facts: { window, limit, left, percent: String(percent) },
        },
      },
    ]
  })
}

/** Users, or teams, whose balance is less than what they spent in a day. */
export function ofBalances(
  users: readonly { id: string; name: string; balance: string; spent: string }[],
  now: number,
  { publicUrl }: Links,
  kind: 'user' | 'team' = 'user',
): Notice[] {
  return users
    .filter(({ balance, spent }) => Number(spent) > 0 && Number(balance) < Number(spent))
    .map(({ id, name, balance, spent }) => ({
      kind: 'balance',
      once: `balance:${id}:${Number(balance) <= 0 ? 'empty' : 'low'}:${day(now)}`,
      data: {
        text: `The balance of ${name} is ${balance} USD, less than the ${spent} USD of the last day.`,
        link: publicUrl + pathOf(kind, id),
        subject: { kind, id, name },
        facts: { balance, spent },
      },
    }))
}

/** A breaker that is open. */
export interface OpenBreaker {
  channel: { id: string; name: string }
  key: string | null
  model: string | null
  cause: string
  /** Milliseconds for which it has been open. */
  forMs: number
}

const openLongMs = 300_000

/** Breakers open for five minutes. */
export function ofBreakers(breakers: readonly OpenBreaker[], now: number, { publicUrl }: Links): Notice[] {
  return breakers
    .filter(({ forMs }) => forMs >= openLongMs)
    .map(({ channel, key, model, cause }) => ({
      kind: 'breaker',
      once: `breaker:${channel.id}:${key ?? ''}:${model ?? ''}:${hour(now)}`,
      data: {
        text: `The channel ${channel.name} has been resting for five minutes${model === null ? '' : ` for ${model}`}: ${cause}.`,
        link: publicUrl + pathOf('channel', channel.id),
        subject: { kind: 'channel', ...channel },
        facts: { cause, ...(key !== null && { key }), ...(model !== null && { model }) },
      },
    }))
}

/** A test of a channel that failed. */
export function ofTest(
  channel: { id: string; name: string },
  fault: { code: string; message: string },
  now: number,
  { publicUrl }: Links,
): Notice {
  return {
    kind: 'channel_test',
    once: `channel_test:${channel.id}:${hour(now)}`,
    data: {
      text: `The test of the channel ${channel.name} failed: ${fault.message}`,
      link: publicUrl + pathOf('channel', channel.id),
      subject: { kind: 'channel', ...channel },
      facts: { code: fault.code, message: fault.message },
    },
  }
}

/** Requested models without a price. */
export const ofUnpriced = (models: readonly string[], now: number, { publicUrl }: Links): Notice[] =>
  models.map((model) => ({
    kind: 'unpriced',
    once: `unpriced:${model}:${day(now)}`,
    data: {
      text: `A request for ${model} was refused: a channel offers it, but it has no price.`,
      link: publicUrl + pathOf('model', model),
      subject: { kind: 'model', id: model, name: model },
      facts: {},
    },
  }))

/** Models that cost more than they earn today. */
export const ofMargins = (rows: readonly UsageReportRow[], now: number, { publicUrl }: Links): Notice[] =>
  rows.flatMap(({ model, margin }): Notice[] =>
    model === undefined || !margin?.startsWith('-')
      ? []
      : [
          {
            kind: 'margin',
            once: `margin:${model}:${day(now)}`,
            data: {
              text: `${model} cost ${margin.slice(1)} USD more today than it earned.`,
              link: `${publicUrl}/usage`,
              subject: { kind: 'model', id: model, name: model },
              facts: { margin },
            },
          },
        ],
  )

/** A key's spend in the last ten minutes, and its usual spend. USD. */
export interface KeySpend {
  id: string
  name: string
  spent: number
  /** Usual spend in ten minutes in which it spent anything. */
  usual: number
}

const tooMuch = 5
/** USD in ten minutes; less is not worth an alert. */
const worthTelling = 1

/** Keys that spend five times their usual; a key without a history has no usual. */
export const ofKeySpend = (keys: readonly KeySpend[], now: number, { publicUrl }: Links): Notice[] =>
  keys
    .filter(({ spent, usual }) => usual > 0 && spent >= worthTelling && spent >= tooMuch * usual)
    .map(({ id, name, spent, usual }) => ({
      kind: 'key_spend',
      once: `key_spend:${id}:${hour(now)}`,
      data: {
        text: `The key ${name} spent ${spent.toFixed(2)} USD in ten minutes, ${Math.floor(spent / usual)} times its usual.`,
        link: publicUrl + pathOf('key', id),
        subject: { kind: 'key', id, name },
        facts: { spent: spent.toFixed(4), usual: usual.toFixed(4), pause: `PATCH /api/keys/${id} {"enabled":false}` },
      },
    }))

/** Bodies that should be stored cannot be written, or do not reach their bucket. `cause`: why; undefined: no fault. */
export const ofBodies = (instance: string, cause: string | undefined, now: number, { publicUrl }: Links): Notice[] =>
  cause === undefined
    ? []
    : [
        {
          kind: 'bodies',
          once: `bodies:${instance}:${cause}:${hour(now)}`,
          data: {
            text: `An instance cannot store kept requests: ${cause}. Requests are not affected.`,
            link: `${publicUrl}/admin/settings`,
            subject: { kind: 'instance', id: instance, name: instance },
            facts: { cause },
          },
        },
      ]

/** The newest backup is too old. `lastAt`: when it was made, milliseconds since the epoch; undefined: there is none. */
export const ofBackup = (instance: string, lastAt: number | undefined, now: number, { publicUrl }: Links): Notice[] => [
  {
    kind: 'backup',
    once: `backup:${instance}:${day(now)}`,
    data: {
      text:
        lastAt === undefined
          ? 'No backup could be made, and there is no earlier one.'
          : `The last backup was made ${Math.floor((now - lastAt) / 3_600_000)} hours ago: a new one is overdue.`,
      link: `${publicUrl}/admin/settings`,
      subject: { kind: 'instance', id: instance, name: instance },
      facts: lastAt === undefined ? {} : { hours: String(Math.floor((now - lastAt) / 3_600_000)) },
    },
  },
]

/** A journal more than half full. `share`: of its limit. */
export const ofJournal = (instance: string, share: number, now: number, { publicUrl }: Links): Notice[] =>
  share < 0.5
    ? []
    : [
        {
          kind: 'journal',
          once: `journal:${instance}:${hour(now)}`,
          data: {
            text: `The journal of an instance is ${Math.floor(share * 100)} % full: the database does not accept its entries.`,
            link: publicUrl,
            subject: { kind: 'instance', id: instance, name: instance },
            facts: { percent: String(Math.floor(share * 100)) },
          },
        },
      ]
