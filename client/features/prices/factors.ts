/** The factors of a price as form values. */
import { factorFields, type PriceFields } from '#shared/console/price'

/** The fields that can have a factor, in the order of the form. */
export const factorNames = [...factorFields, 'size'] as const

/** A factor: if an answer was served with this value in this field, the price is multiplied. */
export interface TypedFactor {
  name: (typeof factorNames)[number]
  word: string
  times: string
}

/** The form values for the factors of a price. */
export const typedFactors = (factors: PriceFields['factors']): TypedFactor[] =>
  factorNames.flatMap((name) => Object.entries(factors?.[name] ?? {}).map(([word, times]) => ({ name, word, times })))

/** Which of the two inputs is invalid: a missing or duplicate value, or a malformed factor. */
export const wrongIn = ({ name, word, times }: TypedFactor, all: readonly TypedFactor[]): { word: boolean; times: boolean } => ({
  word: !/^[a-z0-9_.-]+$/.test(wordOf(word)) || all.filter((one) => one.name === name && wordOf(one.word) === wordOf(word)).length > 1,
  times: !/^\d{1,3}(\.\d{1,6})?$/.test(times.trim()),
})

/** The factors for the API; undefined if one is invalid. */
export function factorsOf(typed: readonly TypedFactor[]): NonNullable<PriceFields['factors']> | undefined {
  const factors: NonNullable<PriceFields['factors']> = {}
  for (const one of typed) {
    const wrong = wrongIn(one, typed)
    if (wrong.word || wrong.times) return undefined
    factors[one.name] = { ...factors[one.name], [wordOf(one.word)]: one.times.trim() }
  }
  return factors
}

/** Values are compared in lower case. */
const wordOf = (typed: string) => typed.trim().toLowerCase()
