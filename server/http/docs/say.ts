/** The languages of the reference. Its texts are in English next to the code; a table maps them to Chinese by the English text. */

/** A language of the reference. */
export type Language = 'en' | 'zh'

/** The language that an `Accept-Language` header prefers, English where it names neither. */
export function preferred(header: string | null): Language {
  const ranges = (header ?? '').split(',').map((range) => {
    const [tag = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    const weight = parameters.find((one) => one.startsWith('q='))
    return { language: tag.split('-')[0], weight: weight === undefined ? 1 : Number(weight.slice(2)) || 0 }
  })
  const weightOf = (language: Language) => Math.max(0, ...ranges.filter((one) => one.language === language).map(({ weight }) => weight))
  return weightOf('zh') > weightOf('en') ? 'zh' : 'en'
}

/** Translates a text to the reader's language; `{name}` is replaced by a value, which is not translated. */
export type Say = (text: string, values?: Readonly<Record<string, string | number>>) => string

/** English, as written. */
export const inEnglish: Say = (text, values) => filled(text, values)

/** The texts of a table, by their English form; a text that it lacks stays English. */
export const sayFrom =
  (table: Readonly<Record<string, string>>): Say =>
  (text, values) =>
    filled(table[text] ?? text, values)

const filled = (text: string, values: Readonly<Record<string, string | number>> = {}) =>
  text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole))

/** Joins sentences. A Chinese full stop has no space after it. */
export const sentences = (texts: readonly string[]): string =>
  texts
    .filter((text) => text !== '')
    .join(' ')
    .replaceAll('。 ', '。')
