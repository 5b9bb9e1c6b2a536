/** Sends one item of a replay, and reads its result. */
import type { Accounts } from '#accounts/accounts'
import type { User } from '#accounts/caller'
import type { Bodies } from '#bodies/bodies'
import type { KeptRecord } from '#bodies/record'
import type { Clock } from '#runtime/clock'
import type { AbortSignalLike } from '#runtime/contract/abort'
import type { ReplayAnswer } from '#shared/console/replay'
import { GatewayError } from '#shared/errors'
import type { Store } from '#store/engine/store'
import { noteReplayItem, type ReplayEnd, type ReplayItemRecord, type ReplayRecord } from '#store/replays/replays'
import { findLogNear } from '#store/usage/logs'
import { answerOf } from './answer.ts'
import { differenceOf } from './difference.ts'
import type { ReplayDispatch } from './dispatch.ts'
import { figuresOf } from './figures.ts'
import { prepared } from './prepare.ts'
import type { Spoken } from './spoken.ts'

/** One item to send, for this user. */
export interface Asked {
  job: ReplayRecord
  item: ReplayItemRecord
  user: User
  /** Aborted when the process ends. */
  signal: AbortSignalLike
}

/** Dependencies of sending. */
export interface SendParts {
  store: Store
  accounts: Pick<Accounts, 'callerOf'>
  bodies: Pick<Bodies, 'read' | 'readable' | 'drop'>
  dispatch: ReplayDispatch
  /** Resolves when the usage rows of requests answered so far can be read. */
  answered(): Promise<void>
  clock: Clock
}

/** Most bytes of an answer kept for the comparison. */
const mostBytes = 1024 * 1024

/** Sends an item. Rejects where nothing was sent: `not_found`, `body_redacted`, `group_not_allowed`, ... */
export function createSend({ store, accounts, bodies, dispatch, answered, clock }: SendParts) {
  return async ({ job, item, user, signal }: Asked): Promise<ReplayEnd> => {
    const { originalId, replayId } = item
    const target = job.targets[item.target]
    if (!target || replayId === null) throw new GatewayError('internal_error', 'This item has no target.')
    const { record } = await bodies.read({ ...user, requestId: replayId }, originalId)
    const { spoken, exact, ...call } = prepared(record, target)
    const originalRow = await findLogNear(store, originalId, new Date(record.at))
    const channel = target.sameChannel ? originalRow?.channel : target.channel
    if (channel === null || (target.sameChannel && channel === undefined)) throw noChannel()
    const caller = accounts.callerOf(user, undefined, job.group, job.teamId ?? undefined)
    const original = spoken && answerIn(record, spoken)
    await noteReplayItem(store, replayId, {
      original: originalRow ? figuresOf(originalRow, original) : null,
      exact: exact && target.channel === undefined,
    })
    const owner = { userId: record.userId, memberId: record.memberId ?? null, keyId: record.keyId }
    const begunAt = new Date(clock.now())
    const response = await dispatch({
      ...call,
      requestId: replayId,
      of: originalId,
      owner,
      caller,
      signal,
      ...(channel !== undefined && { channel }),
    })
    const body = await readUpTo(response, mostBytes)
    const answer = spoken && body && answerOf(spoken, response.status, body)
    await answered()
    const row = await findLogNear(store, replayId, begunAt)
    // If the original was deleted meanwhile, this is deleted, too.
    if (!(await bodies.readable(user, [originalId])).has(originalId)) await bodies.drop([replayId])
    const error = row?.error ?? (response.status >= 400 ? (answer?.error ?? null) : null)
    return {
      state: response.status >= 400 ? 'failed' : 'done',
      error: error && { code: error.code, message: error.message },
      ...(row && { result: figuresOf(row, answer || undefined), charged: row.charged }),
      ...(original && answer && !answer.error && { difference: differenceOf(original, answer) }),
    }
  }
}

/** The answer of a kept request, as a conversation; undefined where it was not stored whole, or is not one. */
export function answerIn({ parts }: KeptRecord, spoken: Spoken): ReplayAnswer | undefined {
  const part = parts.find(({ border }) => border === 'client-answer')
  return part && !part.leftOut ? answerOf(spoken, part.status ?? 200, part.body) : undefined
}

const noChannel = () => new GatewayError('not_replayable', 'No channel answered the original, so there is none to ask again.')

/** The whole body; undefined where it is longer, after reading all of it. A broken stream ends where it breaks. */
async function readUpTo(response: Response, most: number): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  const reader = response.body?.getReader()
  try {
    for (let piece = await reader?.read(); piece && !piece.done; piece = await reader?.read()) {
      bytes += piece.value.byteLength
      if (bytes <= most) chunks.push(piece.value)
    }
  } catch {
    // What arrived is compared; the usage row records how it ended.
  }
  return bytes <= most ? Buffer.concat(chunks) : undefined
}
