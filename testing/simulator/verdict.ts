/** What must hold for a finished request, judged by what each side saw. */
import type { NewLog } from '#billing/ledger/books'
import type { Price, PriceBook } from '#billing/pricing/price'
import { makesEmbeddings } from './answer-text.ts'
import { type Attempt, hasImplausibleUsage } from './attempt.ts'
import type { Client } from './client.ts'
import { parseStream, type ReceivedAnswer } from './received-answer.ts'
import type { RunLog } from './run-log.ts'

/** What each side saw of one request. */
export interface ObservedRequest {
  client: Client
  row: NewLog | undefined
  /** In the order in which they began. */
  attempts: readonly Attempt[]
  prices: PriceBook
  /** In millionths. */
  ratio: bigint
}

/** The attempt whose text the client received; checks that it received a prefix of that text, once. */
function speaker({ client, attempts }: ObservedRequest, answer: ReceivedAnswer, log: RunLog): Attempt | undefined {
  const text = answer.text + answer.partialImage
  const first = /^<(\d+)\./.exec(text)?.[1]
  if (first === undefined) {
    log.check(text === '', `${client.requestId} received text of no attempt: ${text}`)
    return undefined
  }
  const attempt = attempts.find(({ number }) => number === Number(first))
  const said = attempt?.words.join('') ?? ''
  log.check(attempt !== undefined && said.startsWith(text), `${client.requestId} received ${text}, the upstream sent ${said}`)
  return attempt
}

/** The price in nano-dollars of these token counts. `ratio` in millionths. */
export function priced({ rates }: Pick<Price, 'rates'>, ratio: bigint, fresh: number, out: number): bigint {
  const total = (BigInt(fresh) * rates.input + BigInt(out) * rates.output) * ratio
  return (total + 999_999_999_999n) / 1_000_000_000_000n
}

/** Upper bounds for the tokens of any request, holds ahead of need included. */
const most = { in: 1_000, out: 20_000 }

/** Tokens between two checks of the running cost, at four bytes each: four kilobytes, and the upstream's largest piece. */
const betweenLooks = { in: 0, out: (4096 + 8192) / 4 }

const dearest = (prices: PriceBook, tokens: { in: number; out: number }): bigint =>
  [...prices.all()].map((price) => priced(price, 1_000_000n, tokens.in, tokens.out)).reduce((a, b) => (a > b ? a : b), 0n)

/** Upper bounds in nano-dollars: of any cost, and of what a stream may exceed its hold by. */
export const boundsOf = (prices: PriceBook) => ({ ceiling: dearest(prices, most), slack: dearest(prices, betweenLooks) })

function judgeMoney(seen: ObservedRequest, row: NewLog, by: Attempt | undefined, log: RunLog): void {
  const { client, attempts } = seen
  const { usage } = row
  const { requestId } = client
  if (!attempts.some(({ gaveWord, gaveFinish }) => gaveWord || gaveFinish)) {
    log.check(row.cost === 0n, `${requestId} costs ${row.cost} although it had no output`)
  }
  log.check(!usage === !row.provenance, `${requestId} has usage without provenance, or the reverse`)
  log.check(usage !== undefined && usage !== null ? true : row.cost === 0n, `${requestId} costs ${row.cost} without usage`)
  if (!usage || attempts.some(hasImplausibleUsage)) return
  // The last attempt is the one that answered; its model is charged.
  const price = seen.prices.get(attempts.at(-1)?.model ?? 'm')
  if (!price) return
  const owed = priced(price, seen.ratio, usage.in.fresh, usage.out.total)
  log.check(row.cost === owed, `${requestId} costs ${row.cost}, its usage is worth ${owed}`)
  if (row.error || by?.script.kind !== 'answer' || !by.script.usage || !by.gaveUsage || client.gone()) return
  const { in: input } = by.script.usage
  const out = makesEmbeddings(by.wire) ? 0 : by.script.usage.out
  const same = usage.in.fresh === input && usage.out.total === out && usage.provenance === 'provider'
  log.check(same, `${requestId} is charged for ${JSON.stringify(usage)}, the upstream reported ${input} and ${out}`)
}

/** For a client that stayed to the end of its answer. */
function judgeAnswer(seen: ObservedRequest, row: NewLog, answer: ReceivedAnswer, log: RunLog): void {
  const { client } = seen
  const { requestId, plan } = client
  for (const wrong of answer.wrong) log.fail(`${requestId} was given ${wrong}`)
  log.check(answer.ended, `${requestId} received no end of its answer`)
  const by = speaker(seen, answer, log)
  judgeMoney(seen, row, by, log)
  const isEmpty = row.error?.code === 'empty_answer'
  log.check(answer.failed === (row.error !== null && !isEmpty), `${requestId} ended with ${row.end}, which is not what the client received`)
  if (by && !hasImplausibleUsage(by)) log.check(row.cost > 0n, `${requestId} received words without a charge`)
  if (row.error && !isEmpty) return
  if (isEmpty) log.check(answer.text === '' && row.usage?.out.total === 0, `${requestId} is wrongly marked as empty`)
  const served = by ?? seen.attempts.at(-1)
  log.check(served?.gaveFinish === true, `${requestId} is marked complete, but the upstream never finished`)
  log.check(answer.text === served?.words.join(''), `${requestId} did not receive the whole answer`)
  if (makesEmbeddings(plan.wire)) log.check(served?.words.length === plan.inputs, `${requestId} did not receive one embedding per text`)
  log.check(row.status === 200, `${requestId} is complete with status ${row.status}`)
  log.check(plan.stream === row.stream, `${requestId} has the wrong stream flag in its row`)
}

/** The upstream has made all of an answer that is not streamed. */
const madeWhole = ({ script, state, gaveAll, words }: Attempt): boolean =>
  script.kind === 'answer' && state === 'ended' && gaveAll && words.length > 0 && !script.fault && !script.cut

function judgeGone(seen: ObservedRequest, row: NewLog, log: RunLog): void {
  const { client } = seen
  const { wire, stream } = client.plan
  const answer = stream ? parseStream(wire, client.text()) : undefined
  for (const wrong of answer?.wrong ?? []) if (wrong !== 'an incomplete event') log.fail(`${client.requestId} was given ${wrong}`)
  const by = answer && speaker(seen, answer, log)
  judgeMoney(seen, row, by, log)
  if (by && !hasImplausibleUsage(by)) log.check(row.cost > 0n, `${client.requestId} left with words that were not charged`)
  const made = stream ? undefined : seen.attempts.at(-1)
  if (made && madeWhole(made)) log.check(row.usage !== null, `${client.requestId} left a whole answer that was not charged`)
}

/** For a client that received an error instead of an answer. */
function judgeRefusal(seen: ObservedRequest, row: NewLog, log: RunLog): void {
  const { requestId } = seen.client
  const { refused } = seen.client.result() ?? {}
  judgeMoney(seen, row, undefined, log)
  const same = refused?.status === row.status && row.error !== null && row.end === 'error'
  log.check(same, `${requestId} was refused with ${refused?.code}, its row says ${row.end} ${row.status}`)
  log.check(row.cost === 0n, `${requestId} was refused and costs ${row.cost}`)
}

/** Checks one finished request. */
export function judge(seen: ObservedRequest, log: RunLog): void {
  const { client, row, attempts } = seen
  const { requestId } = client
  if (!row) {
    log.fail(`${requestId} has no usage row`)
    return
  }
  const { answer, broke } = client.result() ?? {}
  log.check(row.error?.code !== 'internal_error', `${requestId} ended with an internal error`)
  log.check(!broke, `${requestId} was disconnected by the relay`)
  if (client.gone()) judgeGone(seen, row, log)
  else if (answer) judgeAnswer(seen, row, answer, log)
  else judgeRefusal(seen, row, log)
  const logged = row.attempts.length
  if (!client.gone()) log.check(logged === attempts.length, `${requestId} made ${attempts.length} attempts, its row has ${logged}`)
}
