/** Prompt templates: texts with `{{variables}}`, stored in this browser. Filling is pure. */
import { isRecord } from '#client/api/http.ts'
import { readLocalStorage, writeLocalStorage } from '#client/ui/local-storage.ts'

/** A named prompt. */
export interface Template {
  name: string
  text: string
}

const place = /\{\{\s*([\p{L}_][\p{L}\p{N}_ -]{0,40}?)\s*\}\}/gu

/** Names of the variables, each once, in order. */
export const variablesIn = (text: string): string[] => [...new Set([...text.matchAll(place)].map((match) => match[1] ?? ''))]

/** The text with its variables filled in; a variable without a value stays as it is. */
export const fillTemplate = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(place, (whole, name: string) => values[name] ?? whole)

/** Templates from JSON text; undefined when it is not a list of templates. */
export function parseTemplates(text: string): Template[] | undefined {
  try {
    const list: unknown = JSON.parse(text)
    if (!Array.isArray(list)) return undefined
    const found = list.filter((one): one is Template => isRecord(one) && typeof one.name === 'string' && typeof one.text === 'string')
    return found.length === list.length ? found.map(({ name, text: body }) => ({ name: name.slice(0, 120), text: body })) : undefined
  } catch {
    return undefined
  }
}

/** Templates are the user's own: another user of this browser has others. */
const keyOf = (user: string) => `templates.${user}`

/** The templates of a user in this browser. */
export const readStoredTemplates = (user: string): Template[] => parseTemplates(readLocalStorage(keyOf(user)) ?? '[]') ?? []
/** Stores the templates of a user in this browser. */
export const storeTemplates = (user: string, templates: readonly Template[]): void =>
  writeLocalStorage(keyOf(user), JSON.stringify(templates))
