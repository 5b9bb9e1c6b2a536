/** Figures of a request, from its usage row. Pure. */
import { promptOf } from '#canonical/usage'
import type { ReplayAnswer, ReplayFigures } from '#shared/console/replay'
import { formatUsd } from '#shared/money'
import type { StoredLog } from '#store/ledger/row-detail'
import { wordsIn } from './difference.ts'

/** The figures of a row, and of its answer where it can be read. */
export function figuresOf(row: StoredLog, answer?: ReplayAnswer): ReplayFigures {
  const { usage } = row
  const answered = row.attempts.findLast(({ phase }) => phase === 'stream' || phase === 'done')?.model
  return {
    model: answered ?? row.model,
    channel: row.channel,
    status: row.status,
    end: row.end,
    ...(usage && { tokensIn: promptOf(usage), tokensOut: usage.out.total }),
    charged: formatUsd(row.charged),
    firstTokenMs: row.firstTokenMs,
    totalMs: row.totalMs,
    losses: row.losses.length,
    ...(answer && { answer: { finish: answer.finish, words: wordsIn(answer.text), calls: answer.calls.length } }),
  }
}
