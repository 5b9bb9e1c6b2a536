/**
 * Language of the page. Every feature keeps its own dictionaries and calls `words`; English is built in, another language
 * is loaded when it is chosen. `spoken()` waits until all dictionaries of the chosen language are there, so no page flashes.
 */
import { createSignal } from 'solid-js'
import { readLocalStorage, writeLocalStorage } from './local-storage.ts'

export const languages = { en: 'English', zh: '中文' } as const
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

/** Resolves when every dictionary registered so far speaks the chosen language. */
export const loadMessages = async (): Promise<void> => {
  if (typeof document !== 'undefined') document.documentElement.lang = language() === 'zh' ? 'zh-CN' : 'en'
  if (language() !== 'en') await Promise.all(loaders.map((load) => load()))
}

/** Changes the language for this browser, once its dictionaries are loaded. */
export async function changeLanguage(chosen: Language): Promise<void> {
  if (chosen !== 'en') await Promise.all(loaders.map((load) => load()))
  writeLocalStorage('language', chosen)
  setLanguage(chosen)
  await loadMessages()
}

/**
 * A feature's words. The answer is a reader: `t('key', { count: 2 })`. In a text, `{name}` takes a value and
 * `{count:token|tokens}` chooses by the plural rules of the language. Reading tracks the language.
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

/** Puts `values` into `text`. */
export function formatMessage(text: string, values: Values = {}, spokenIn: Language = 'en'): string {
  return text.replace(/\{(\w+)(?::([^|}]*)\|([^}]*))?\}/g, (whole, name: string, one?: string, many?: string) => {
    const value = values[name]
    if (value === undefined) return whole
    if (one !== undefined && many !== undefined) return new Intl.PluralRules(spokenIn).select(Number(value)) === 'one' ? one : many
    return typeof value === 'number' ? value.toLocaleString(spokenIn) : value
  })
}
