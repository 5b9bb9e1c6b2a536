import { createTranslator } from '#client/ui/language.ts'
import { en } from './en.ts'

/** Translates what pages of channels say about tests. */
export const t = createTranslator(en, () => import('./zh.ts'))
