/**
 * Language of the page. Each feature registers its own messages with `createTranslator`. English is built in; other languages
 * are loaded when they are chosen. `loadMessages` waits for all of them, so that no page flashes in English.
 */
import { createSignal } from 'solid-js'
import { numberFormat } from './formatters.ts'
import { readLocalStorage, writeLocalStorage } from './local-storage.ts'

/** Supported languages, each by its own name. */
export const languages = { en: 'English', zh: '中文' } as const
/** Code of a supported language. */
export type Language = keyof typeof languages

const stored = readLocalStorage('language')
const [language, setLanguage] = createSignal<Language>(stored === 'zh' || stored === 'en' ? stored : preferred())

export { language }

function preferred(): Language {
  const first = typeof navigator === 'undefined' ? 'en' : (navigator.languages?.[0] ?? navigator.language)
  return first?.toLowerCase().startsWith('zh') ? 'zh' : 'en'
}

type Dictionary = Record<string, string>
type Values = Record<string, string | number>
const loaders: (() => Promise<void>)[] = []

/** Resolves when all registered messages are loaded in the chosen language. */
export const loadMessages = async (): Promise<void> => {
  if (typeof document !== 'undefined') document.documentElement.lang = language() === 'zh' ? 'zh-CN' : 'en'
  if (language() !== 'en') await Promise.all(loaders.map((load) => load()))
}

/** Changes the language of this browser, once its messages are loaded. */
export async function changeLanguage(chosen: Language): Promise<void> {
  if (chosen !== 'en') await Promise.all(loaders.map((load) => load()))
  writeLocalStorage('language', chosen)
  setLanguage(chosen)
  await loadMessages()
}

/**
 * The translator of one feature: `t('key', { count: 2 })`. In a message, `{name}` is replaced by a value and
 * `{count:token|tokens}` chooses by the plural rules of the language. Calling it tracks the language.
 */
export function createTranslator<English extends Dictionary>(
  english: English,
  chinese: () => Promise<{ zh: Record<keyof English, string> }>,
) {
  const [loaded, setLoaded] = createSignal<Record<keyof English, string> | undefined>()
  loaders.push(async () => {
    if (!loaded()) setLoaded((await chinese()).zh as never)
  })
  return (key: keyof English, values?: Values): string => {
    const other = language() === 'zh' ? loaded() : undefined
    return formatMessage(other?.[key] ?? english[key] ?? '', values, language())
  }
}

/** `text` with its `values`: numbers are formatted for `locale`, and places without a value stay as they are. */
export function formatMessage(text: string, values: Values = {}, locale: Language = 'en'): string {
  return text.replace(/\{(\w+)(?::([^|}]*)\|([^}]*))?\}/g, (whole, name: string, one?: string, many?: string) => {
    const value = values[name]
    if (value === undefined) return whole
    if (one !== undefined && many !== undefined) return new Intl.PluralRules(locale).select(Number(value)) === 'one' ? one : many
    return typeof value === 'number' ? numberFormat(locale).format(value) : value
  })
}
