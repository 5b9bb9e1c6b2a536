import { createTranslator } from '#client/ui/language.ts'
import { en } from './en.ts'

/** Translates the messages of the page about selling on. */
export const t = createTranslator(en, () => import('./zh.ts'))
