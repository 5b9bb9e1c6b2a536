/**
 * Step 8. What a finished request owes: the upstream's own figures where it gave them, else the estimate of what was
 * delivered; nothing when nothing came out. The table is case by case in ARCHITECTURE.md, "Interrupted streams".
 */
import type { Loss } from '#canonical/loss'
import { tokensIn, type Usage } from '#canonical/usage'
import type { NewLog } from '#metering/books'
import { cost } from '#metering/cost'
import { asGatewayError, GatewayError } from '#shared/errors'
import type { End } from '#shared/ids'
import { endedBy, type Received } from './attempt.ts'
import type { Call } from './call.ts'
import { tellOpenSecondBook, usageRow } from './report.ts'
import { servingOf } from './serving.ts'

export interface Ending {
  end: End
  /** What the client saw, or would have seen. */
  status: number
  error: GatewayError | undefined
  /** Undefined: no output ever began, nothing is charged. */
  usage: Usage | undefined
  /** Who delivered. */
  served: Pick<Received<unknown>, 'candidate'> | undefined
  /** Of the request and of what was delivered of the answer. */
  losses: readonly Loss[]
  /** Milliseconds from arrival to the first content. */
  firstTokenMs: number | undefined
}

/** Seen only by whoever looks at the books after a crash. */
export const interrupted = () => new GatewayError('internal_error', 'Parley stopped while it answered. What had been delivered is charged.')

/** What an answer that said nothing shows in its row: its end is no error, and its input is charged. */
const emptyAnswer = { code: 'empty_answer', message: 'The upstream ended its answer without saying anything. Only the input is charged.' }

const isEmpty = (call: Call, { end, usage }: Ending) =>
  end === 'complete' && usage?.out.total === 0 && (call.ask.operation === 'generate' || call.ask.operation === 'compact')

/** Resolves when the books hold the request; never rejects. */
export async function settle(call: Call, ending: Ending): Promise<void> {
  const { books, log } = call.parts
  const row = rowOf(call, ending)
  tellOpenSecondBook(log, row)
  await (ending.usage ? books.settle(row) : books.release(row))
  call.closed(ending.usage ? tokensIn(ending.usage) : 0)
}

/** What it is to be settled with if this process ends now. The upstream's figures so far are not its last word. */
export function note(call: Call, sofar: Pick<Ending, 'served' | 'losses' | 'firstTokenMs'> & { usage: Usage }): void {
  const usage: Usage = sofar.usage.provenance === 'provider' ? { ...sofar.usage, provenance: 'partial' } : sofar.usage
  call.parts.books.progress(rowOf(call, { ...sofar, usage, end: 'cut', status: 200, error: interrupted() }))
}

function rowOf(call: Call, ending: Ending): NewLog {
  const { parts, ask, head, attempts } = call
  const { price } = servingOf(call.servings, ending.served?.candidate)
  const totalMs = parts.clock.monotonic() - call.begun.tick
  const facts = {
    ask,
    head,
    price,
    attempts,
    served: ending.served?.candidate,
    losses: ending.losses,
    at: call.begun.at,
    firstTokenMs: ending.firstTokenMs,
    totalMs,
  }
  const owed = ending.usage ? cost(ending.usage, price.rates, ask.caller.group.ratio) : 0n
  const row = usageRow(facts, { end: ending.end, status: ending.status, error: ending.error, usage: ending.usage, cost: owed })
  return isEmpty(call, ending) ? { ...row, error: emptyAnswer } : row
}

/** What is not kept is no reason to withhold an answer that was paid for; the log says so. */
export async function remember(call: Call, text: string): Promise<void> {
  try {
    await call.ask.answered?.(text, call.head.stream)
  } catch (thrown) {
    call.parts.log.warn({ requestId: call.ask.requestId, err: thrown }, 'the conversation could not be kept')
  }
}

/** Ends the row of the attempt that delivered: `done`, or the error that broke it after its first event. */
export function closeAttempt(call: Call, error: GatewayError | undefined, streamedMs: number): void {
  const last = call.attempts.at(-1)
  if (last?.phase !== 'stream') return
  last.ms += Math.round(streamedMs)
  if (error) last.cause = error.code
  else last.phase = 'done'
}

/** Settles a call that came to nothing and answers the error for the caller. */
export async function refuse(call: Call, thrown: unknown): Promise<GatewayError> {
  const { signal } = call.ask
  const error = signal.aborted ? endedBy(signal) : asGatewayError(thrown)
  const end = error.code === 'client_closed_request' ? 'aborted' : 'error'
  await settle(call, { end, status: error.status, error, usage: undefined, served: undefined, losses: [], firstTokenMs: undefined })
  return error
}
