/** Compares an upstream's charges with the known costs of requests, by day and by the upstream's model. Pure. */
import type { InvoiceRow } from '#shared/console/books'
import { formatUsd } from '#shared/money'
import { type InvoiceLine, places } from './exports.ts'

/** Cost of one model on one day, by the books. */
export interface LoggedCost {
  day: string
  /** The upstream's name of the model. */
  model: string
  /** Nano-dollars; null where the channel declares no costs. */
  cost: bigint | null
  requests: number
  /** A console page with these requests. */
  page: string
}

/** The rows, and their sums in nano-dollars. */
export interface Comparison {
  rows: InvoiceRow[]
  billed: bigint
  logged: bigint
}

/** In nano-dollars. */
const cent = 10_000_000n
const perNano = 10n ** BigInt(places - 9)

/** Compares; mismatches come first, the largest difference at the top. */
export function compareInvoice(lines: readonly InvoiceLine[], logged: readonly LoggedCost[]): Comparison {
  const nameOf = modelNames(new Set(logged.map(({ model }) => model)))
  const days = new Map<string, { billed: bigint; requests: LoggedCost[] }>()
  const at = (day: string, model: string) => {
    const name = `${day}\n${model}`
    const found = days.get(name) ?? { billed: 0n, requests: [] }
    days.set(name, found)
    return found
  }
  for (const { day, label, amount } of lines) at(day, nameOf(label)).billed += amount
  for (const one of logged) at(one.day, nameOf(one.model)).requests.push(one)
  const rows = [...days].map(([name, { billed, requests }]) => {
    const [day = '', model = ''] = name.split('\n')
    const known = requests.flatMap(({ cost }) => (cost === null ? [] : [cost]))
    const nano = rounded(billed)
    const sum = known.reduce((total, cost) => total + cost, 0n)
    const difference = nano - sum
    const row: InvoiceRow = {
      ...{ day, model, billed: formatUsd(nano), logged: known.length === 0 ? null : formatUsd(sum), difference: formatUsd(difference) },
      requests: requests.reduce((total, one) => total + one.requests, 0),
      fits: isSmall(difference, nano, sum),
      pages: [...new Set(requests.map(({ page }) => page))],
    }
    return { row, difference, nano, sum }
  })
  rows.sort(
    (a, b) =>
      Number(a.row.fits) - Number(b.row.fits) ||
      (size(b.difference) > size(a.difference) ? 1 : size(b.difference) < size(a.difference) ? -1 : a.row.day < b.row.day ? -1 : 1),
  )
  return {
    rows: rows.map(({ row }) => row),
    billed: rows.reduce((total, { nano }) => total + nano, 0n),
    logged: rows.reduce((total, { sum }) => total + sum, 0n),
  }
}

const size = (nano: bigint) => (nano < 0n ? -nano : nano)
const rounded = (amount: bigint) => (amount + (amount < 0n ? -perNano : perNano) / 2n) / perNano
const isSmall = (difference: bigint, ...sums: readonly bigint[]) =>
  size(difference) <= cent || sums.some((sum) => 100n * size(difference) <= size(sum))

/** Words that, appended to a model's name, make it another model. */
const variants = new Set([
  'lite',
  'o',
  'mini',
  'nano',
  'pro',
  'turbo',
  'codex',
  'image',
  'audio',
  'tts',
  'live',
  'chat',
  'max',
  'search',
  'thinking',
  'instruct',
])

/**
 * The model that a label of an export names: the longest whose words occur in it in sequence, with digits and letters as separate words;
 * dates, and the prefix and version of Amazon's names, are ignored. A label that names none is kept, without its kind of tokens.
 */
function modelNames(models: ReadonlySet<string>): (label: string) => string {
  const known = [...models].map((model) => ({ model, words: wordsOfModel(model) })).sort((a, b) => b.words.length - a.words.length)
  return (label) => {
    const words = wordsOf(label)
    return known.find((one) => one.words.length > 0 && holds(words, one.words))?.model ?? label.replace(/, [^,]*$/, '')
  }
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[a-z]+|\d+/g) ?? []

const wordsOfModel = (model: string): string[] =>
  wordsOf(
    model
      .toLowerCase()
      .replace(/^.*\//, '')
      .replace(/^(?:[a-z]{2,6}\.)?(?:anthropic|amazon|meta|mistral|cohere|deepseek|ai21|qwen|openai)\./, '')
      .replace(/-v\d+(?::\d+)?$/, '')
      .replace(/[-@](?:\d{8}|\d{4}-\d\d-\d\d)$/, ''),
  )

/** Whether a name continued by this word is another model: a variant, or a version. */
const isOther = (word = '') => variants.has(word) || /^\d{1,2}$/.test(word)

function holds(words: readonly string[], part: readonly string[]): boolean {
  for (let at = 0; at + part.length <= words.length; at++) {
    if (part.every((word, n) => words[at + n] === word) && !isOther(words[at + part.length])) return true
  }
  return false
}
