import { createTranslator } from '#client/ui/language.ts'
import { en } from './en.ts'

/** Translates the messages of a channel's form. */
export const t = createTranslator(en, () => import('./zh.ts'))
