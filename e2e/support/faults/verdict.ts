/** The required outcome of a fault, and the actual one, in the same terms. */
import type { Result, Trial } from './gateway.ts'

/** The required outcome. */
export type Verdict =
  /** Nothing has reached the client: the next channel is tried, or this error follows after so many requests. */
  | { kind: 'before'; status: number; code: string; asked: number; ailment?: string | undefined; retryAfter?: string; repeatHelps?: true }
  /** The client has received content: then an error in the stream, or a broken connection where a stream cannot express one. */
  | { kind: 'behind'; code: string; end: 'cut' | 'error'; ailment: string; paid?: 'truth'; broken?: true }
  /** Not a fault: a complete answer. */
  | { kind: 'answer'; paid: 'truth' | 'estimate' }
  /** The request itself is refused, which no other channel would change. */
  | { kind: 'refused'; status: number; code: string }

export const unanswered = {
  kind: 'before',
  status: 502,
  code: 'upstream_error',
  asked: 2,
  ailment: 'closed upstream_error',
} satisfies Verdict
export const silent = {
  kind: 'before',
  status: 504,
  code: 'upstream_timeout',
  asked: 1,
  ailment: 'closed upstream_timeout',
} satisfies Verdict
export const cut = { kind: 'behind', code: 'upstream_error', end: 'cut', ailment: 'closed upstream_error' } satisfies Verdict
export const limited = {
  kind: 'before',
  status: 429,
  code: 'rate_limit_exceeded',
  asked: 1,
  ailment: 'open upstream_rate_limited',
} satisfies Verdict
export const keyRefused = {
  kind: 'before',
  status: 502,
  code: 'upstream_auth_failed',
  asked: 1,
  ailment: 'closed upstream_auth_failed of the key',
} satisfies Verdict
export const answered = { kind: 'answer', paid: 'truth' } satisfies Verdict

/** An outcome in comparable form. */
export interface Summary {
  kind: string
  status: number
  code: string | undefined
  text: string
  end: string
  asked: [number, number]
  paid: string
  served: string | null
  ailments: string[]
}

/** `cost`: the price in USD of an answer with true usage; undefined where usage is always estimated. */
function paid({ row }: Result, cost: string | undefined): string {
  if (row.cost === '0') return 'nothing'
  if (cost === undefined) return 'something'
  return row.cost === cost ? 'truth' : 'estimate'
}

/** What came of a trial. */
export function summaryOf(result: Result, cost: string | undefined): Summary {
  const { told, row, asked, ailments } = result
  return {
    kind: told.kind,
    status: told.status,
    code: told.code,
    text: told.text,
    end: row.end,
    asked,
    paid: paid(result, cost),
    served: row.channel?.split('-')[0] ?? null,
    ailments,
  }
}

/** `text` is the whole text of an answer, `first` the part before a break. */
export interface Says {
  text: string
  first: string
  cost: string | undefined
  /** The status of an answer that has begun. */
  status: number
}

/** The summary that a verdict requires. */
export function expectedOf(verdict: Verdict, { left }: Pick<Trial, 'left'>, { text, first, cost, status: begun }: Says): Summary {
  const charge = (what: 'truth' | 'estimate') => (cost === undefined ? 'something' : what)
  const answer = { kind: 'answer', status: begun, code: undefined, text, end: 'complete' }
  const error = { kind: 'error', text: '', end: 'error', paid: 'nothing', served: null }
  switch (verdict.kind) {
    case 'answer':
      return { ...answer, asked: [1, 0], paid: charge(verdict.paid), served: 'failing', ailments: [] }
    case 'refused':
      return { ...error, status: verdict.status, code: verdict.code, asked: [1, 0], ailments: [] }
    case 'behind': {
      const { end, code, ailment, broken } = verdict
      const said = broken ? { kind: 'broken', code: undefined } : { kind: 'error', code }
      const rest = { asked: [1, 0] as [number, number], paid: charge(verdict.paid ?? 'estimate'), served: 'failing', ailments: [ailment] }
      return { ...said, status: begun, text: first, end, ...rest }
    }
    case 'before': {
      const { asked, status, code, ailment } = verdict
      const ailments = ailment === undefined ? [] : [ailment]
      if (left) return { ...answer, asked: [Math.min(asked, 1), 1], paid: charge('truth'), served: 'other', ailments }
      if (verdict.repeatHelps) return { ...answer, asked: [asked, 0], paid: charge('truth'), served: 'failing', ailments }
      return { ...error, status, code, asked: [asked, 0], ailments }
    }
  }
}

/** The summary as text for the table. */
export function inWords({ kind, status, code, end, asked, paid, served, ailments }: Summary): string {
  const what = kind === 'answer' ? `${end} by the ${served} channel` : kind === 'broken' ? 'broken off' : `${status} ${code}`
  const where = status < 400 && kind === 'error' ? ' in the stream' : ''
  const health = ailments.length === 0 ? 'well' : ailments.join(', ')
  return `${what}${where}; asked ${asked.join('+')}; paid ${paid}; ${health}`
}
