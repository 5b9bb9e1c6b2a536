/** What must be true of a request when it is over, from what each side saw of it. */
import type { NewLog } from '#billing/ledger/books'
import type { Price, PriceBook } from '#billing/pricing/price'
import { embeds } from './answer-text.ts'
import { type Attempt, isWild } from './attempt.ts'
import type { Client } from './client.ts'
import { type Heard, hearStream } from './heard.ts'
import type { Journal } from './journal.ts'

export interface Seen {
  client: Client
  row: NewLog | undefined
  /** In the order in which they began. */
  attempts: readonly Attempt[]
  prices: PriceBook
  /** Millionths. */
  ratio: bigint
}

/** What `heard` says is the beginning of one attempt's words, once; answers that attempt. */
function speaker({ client, attempts }: Seen, heard: Heard, journal: Journal): Attempt | undefined {
  const text = heard.text + heard.sketch
  const first = /^<(\d+)\./.exec(text)?.[1]
  if (first === undefined) {
    journal.holds(text === '', `${client.requestId} heard what nobody said: ${text}`)
    return undefined
  }
  const attempt = attempts.find(({ number }) => number === Number(first))
  const said = attempt?.words.join('') ?? ''
  journal.holds(attempt !== undefined && said.startsWith(text), `${client.requestId} heard ${text}, the upstream said ${said}`)
  return attempt
}

/** In nano-dollars, by the figures of a usage row. `ratio` in millionths. */
export function priced({ rates }: Pick<Price, 'rates'>, ratio: bigint, fresh: number, out: number): bigint {
  const total = (BigInt(fresh) * rates.input + BigInt(out) * rates.output) * ratio
  return (total + 999_999_999_999n) / 1_000_000_000_000n
}

/** Tokens that no request and no answer of a schedule has: what is held ahead of need included. */
const most = { in: 1_000, out: 20_000 }

/** What comes between two looks at the bill, four bytes a token: four kilobytes, and the largest piece of an upstream. */
const betweenLooks = { in: 0, out: (4096 + 8192) / 4 }

const dearest = (prices: PriceBook, tokens: { in: number; out: number }): bigint =>
  [...prices.all()].map((price) => priced(price, 1_000_000n, tokens.in, tokens.out)).reduce((a, b) => (a > b ? a : b), 0n)

/** Nano-dollars that nothing costs, and those that a stream can be ahead of its hold. */
export const boundsOf = (prices: PriceBook) => ({ ceiling: dearest(prices, most), slack: dearest(prices, betweenLooks) })

function judgeMoney(seen: Seen, row: NewLog, by: Attempt | undefined, journal: Journal): void {
  const { client, attempts } = seen
  const { usage } = row
  const { requestId } = client
  if (!attempts.some(({ gaveWord, gaveFinish }) => gaveWord || gaveFinish)) {
    journal.holds(row.cost === 0n, `${requestId} costs ${row.cost} although nothing came out`)
  }
  journal.holds(!usage === !row.provenance, `${requestId} does not say where its figures come from`)
  journal.holds(usage !== undefined && usage !== null ? true : row.cost === 0n, `${requestId} costs ${row.cost} without any usage`)
  if (!usage || attempts.some(isWild)) return
  // Who answered is the last that was asked; its model is the one that is paid for.
  const price = seen.prices.get(attempts.at(-1)?.model ?? 'm')
  if (!price) return
  const owed = priced(price, seen.ratio, usage.in.fresh, usage.out.total)
  journal.holds(row.cost === owed, `${requestId} costs ${row.cost}, its usage says ${owed}`)
  if (row.error || by?.script.kind !== 'answer' || !by.script.usage || !by.gaveUsage || client.gone()) return
  const { in: input } = by.script.usage
  const out = embeds(by.spoken) ? 0 : by.script.usage.out
  const same = usage.in.fresh === input && usage.out.total === out && usage.provenance === 'provider'
  journal.holds(same, `${requestId} is charged for ${JSON.stringify(usage)}, the upstream said ${input} and ${out}`)
}

/** It stayed to the end. */
function judgeAnswer(seen: Seen, row: NewLog, heard: Heard, journal: Journal): void {
  const { client } = seen
  const { requestId, plan } = client
  for (const wrong of heard.wrong) journal.broken(`${requestId} was given ${wrong}`)
  journal.holds(heard.ended, `${requestId} waits for an end that does not come`)
  const by = speaker(seen, heard, journal)
  judgeMoney(seen, row, by, journal)
  const isEmpty = row.error?.code === 'empty_answer'
  journal.holds(heard.failed === (row.error !== null && !isEmpty), `${requestId} ended with ${row.end}, the client was told otherwise`)
  if (by && !isWild(by)) journal.holds(row.cost > 0n, `${requestId} was given words for nothing`)
  if (row.error && !isEmpty) return
  if (isEmpty) journal.holds(heard.text === '' && row.usage?.out.total === 0, `${requestId} is said to be empty`)
  const served = by ?? seen.attempts.at(-1)
  journal.holds(served?.gaveFinish === true, `${requestId} is said to be complete, the upstream never finished`)
  journal.holds(heard.text === served?.words.join(''), `${requestId} did not get everything`)
  if (embeds(plan.spoken)) journal.holds(served?.words.length === plan.inputs, `${requestId} did not get one embedding for each text`)
  journal.holds(row.status === 200, `${requestId} is complete with status ${row.status}`)
  journal.holds(plan.stream === row.stream, `${requestId} is not logged as it was asked`)
}

function judgeGone(seen: Seen, row: NewLog, journal: Journal): void {
  const { client } = seen
  const { spoken, stream } = client.plan
  const heard = stream ? hearStream(spoken, client.heard()) : undefined
  for (const wrong of heard?.wrong ?? []) if (wrong !== 'half an event') journal.broken(`${client.requestId} was given ${wrong}`)
  const by = heard && speaker(seen, heard, journal)
  judgeMoney(seen, row, by, journal)
  if (by && !isWild(by)) journal.holds(row.cost > 0n, `${client.requestId} left with words that cost nothing`)
}

/** It was there until it was told that nothing will come. */
function judgeRefusal(seen: Seen, row: NewLog, journal: Journal): void {
  const { requestId } = seen.client
  const { refused } = seen.client.told() ?? {}
  judgeMoney(seen, row, undefined, journal)
  const same = refused?.status === row.status && row.error !== null && row.end === 'error'
  journal.holds(same, `${requestId} was refused with ${refused?.code}, its row says ${row.end} ${row.status}`)
  journal.holds(row.cost === 0n, `${requestId} was refused and costs ${row.cost}`)
}

export function judge(seen: Seen, journal: Journal): void {
  const { client, row, attempts } = seen
  const { requestId } = client
  if (!row) {
    journal.broken(`${requestId} has no usage row`)
    return
  }
  const { heard, broke } = client.told() ?? {}
  journal.holds(row.error?.code !== 'internal_error', `${requestId} ended with a fault of our own`)
  journal.holds(!broke, `${requestId} was broken off`)
  if (client.gone()) judgeGone(seen, row, journal)
  else if (heard) judgeAnswer(seen, row, heard, journal)
  else judgeRefusal(seen, row, journal)
  const told = row.attempts.length
  if (!client.gone()) journal.holds(told === attempts.length, `${requestId} made ${attempts.length} attempts, its row has ${told}`)
}
