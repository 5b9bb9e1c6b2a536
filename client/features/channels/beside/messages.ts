import { createTranslator } from '#client/ui/language.ts'
import { en } from './en.ts'

/** Translates the messages of what stands beside the settings of a channel. */
export const t = createTranslator(en, () => import('./zh.ts'))
