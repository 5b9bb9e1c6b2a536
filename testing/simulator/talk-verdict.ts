/** What must be true of a realtime session when it is over, from what each side saw of it. */
import type { NewLog } from '#billing/ledger/books'
import type { Price } from '#billing/pricing/price'
import { at } from './heard.ts'
import type { Journal } from './journal.ts'
import type { Talk } from './talk.ts'
import type { Line } from './talk-upstream.ts'
import { priced } from './verdict.ts'

export interface SeenTalk {
  talk: Talk
  row: NewLog | undefined
  /** In the order in which they were dialled. */
  lines: readonly Line[]
  price: Price
  /** Millionths. */
  ratio: bigint
}

interface Responses {
  /** Nano-dollars, by the upstream's own figures. */
  told: bigint
  /** Some that said something have none. */
  untold: boolean
  /** Some never ended. */
  open: boolean
}

function responsesIn(frames: readonly string[], { price, ratio }: SeenTalk): Responses {
  const words = new Map<unknown, number>()
  let told = 0n
  let untold = false
  for (const frame of frames) {
    const event: unknown = JSON.parse(frame)
    const [id, usage] = [at(event, 'response', 'id'), at(event, 'response', 'usage')]
    const spoken = at(event, 'response_id')
    if (at(event, 'type') === 'response.created') words.set(id, 0)
    if (spoken !== undefined) words.set(spoken, (words.get(spoken) ?? 0) + 1)
    if (at(event, 'type') !== 'response.done') continue
    if (usage) told += priced(price, ratio, Number(at(usage, 'input_tokens')), Number(at(usage, 'output_tokens')))
    else untold ||= (words.get(id) ?? 0) > 0
    words.delete(id)
  }
  return { told, untold: untold || [...words.values()].some((count) => count > 0), open: words.size > 0 }
}

const begins = (whole: readonly string[], part: readonly string[]) => part.every((frame, index) => frame === whole[index])

export function judgeTalk(seen: SeenTalk, journal: Journal): void {
  const { talk, row, lines } = seen
  const { requestId } = talk.plan
  if (!row) {
    journal.broken(`${requestId} has no usage row`)
    return
  }
  const refused = talk.refused()
  journal.holds(row.error?.code !== 'internal_error', `${requestId} ended with a fault of our own`)
  journal.holds(row.attempts.length === lines.length, `${requestId} has ${lines.length} lines, its row ${row.attempts.length}`)
  if (refused) {
    journal.holds(refused.status === row.status && row.cost === 0n, `${requestId} was refused, its row says ${row.status} and ${row.cost}`)
    return
  }
  const line = lines.at(-1)
  // Of what it heard, the last may be our own word.
  const last = talk.heard.at(-1)
  const ours = row.error !== null && last !== undefined && line?.gave[talk.heard.length - 1] !== last
  const theirs = ours ? talk.heard.slice(0, -1) : talk.heard
  journal.holds(begins(line?.gave ?? [], theirs), `${requestId} heard what the upstream did not say`)
  journal.holds(begins(talk.said, line?.took ?? []), `${requestId} did not say what the upstream heard`)
  const { told, untold, open } = responsesIn(theirs, seen)
  const fits = untold ? row.cost > told : row.cost === told
  journal.holds(fits, `${requestId} costs ${row.cost}, its responses say ${told}${untold ? ' and more' : ''}`)
  journal.holds(row.error !== null || !open, `${requestId} is said to be complete in the middle of a response`)
}
