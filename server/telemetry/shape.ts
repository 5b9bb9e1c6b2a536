/** The common part of requests whose spans and measurements differ only in ids, times and amounts. Pure. */
import type { AttemptRow } from '#shared/console/log'
import type { NewLog } from '#store/ledger/ledger'
import type { TracedRequest } from './traced-requests.ts'

/** Everything of a request except its values and its caller. */
export interface Outline
  extends Pick<NewLog, 'model' | 'upstreamModel' | 'channel' | 'group' | 'status' | 'end' | 'stream' | 'operation' | 'dialect'> {
  error: string | undefined
  hasFirstToken: boolean
  usage: number
  hasParent: boolean
  /** Its only attempt, if there was one. */
  attempt: Pick<AttemptRow, 'channel' | 'key' | 'model' | 'phase' | 'status' | 'cause'> | undefined
}

/** Which kinds of tokens are reported. */
const usageOf = ({ usage }: NewLog): number => (usage ? 1 + (usage.in.cacheRead > 0 ? 2 : 0) + (usage.out.reasoning > 0 ? 4 : 0) : 0)

/** The outline of a request with at most one attempt. */
export function outlineOf(row: NewLog, { parent, attempts: [attempt] }: TracedRequest): Outline {
  const { model, upstreamModel, channel, group, status, end, stream, operation, dialect } = row
  return {
    ...{ model, upstreamModel, channel, group, status, end, stream, operation, dialect },
    error: row.error?.code,
    hasFirstToken: row.firstTokenMs != null,
    usage: usageOf(row),
    hasParent: parent !== undefined,
    attempt: attempt && { ...attempt.row },
  }
}

/** Whether a request has this outline. Plain comparisons: every request passes through here. */
export function hasOutline(outline: Outline, row: NewLog, { parent, attempts }: TracedRequest): boolean {
  return (
    outline.channel === row.channel &&
    outline.status === row.status &&
    outline.usage === usageOf(row) &&
    outline.stream === row.stream &&
    outline.hasFirstToken === (row.firstTokenMs != null) &&
    outline.model === row.model &&
    outline.upstreamModel === row.upstreamModel &&
    outline.group === row.group &&
    outline.end === row.end &&
    outline.operation === row.operation &&
    outline.dialect === row.dialect &&
    outline.error === row.error?.code &&
    outline.hasParent === (parent !== undefined) &&
    isAttempt(outline.attempt, attempts[0]?.row)
  )
}

function isAttempt(before: Outline['attempt'], attempt: AttemptRow | undefined): boolean {
  if (before === undefined || attempt === undefined) return before === attempt
  return (
    before.channel === attempt.channel &&
    before.status === attempt.status &&
    before.phase === attempt.phase &&
    before.cause === attempt.cause &&
    before.key === attempt.key &&
    before.model === attempt.model
  )
}
