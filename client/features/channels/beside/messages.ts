import { createTranslator } from '#client/ui/language.ts'
import { en } from './en.ts'

/** Translates the messages of the cards beside the settings of a channel. */
export const t = createTranslator(en, () => import('./zh.ts'))
