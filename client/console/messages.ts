import { createTranslator } from '#client/ui/language.ts'
import { en } from './en.ts'

/** Translates what several console pages say about money and limits. */
export const ts = createTranslator(en, () => import('./zh.ts'))
