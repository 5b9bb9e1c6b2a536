import { createTranslator } from '#client/ui/language.ts'
import { en } from './en.ts'

/** Translates the messages of the page of an invitation. */
export const t = createTranslator(en, () => import('./zh.ts'))
