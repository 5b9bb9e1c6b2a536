import { createTranslator } from '#client/ui/language.ts'
import { en } from './en.ts'

/** Translates the messages of the API reference; the reference itself is in English. */
export const t = createTranslator(en, () => import('./zh.ts'))
