import { createTranslator } from '#client/ui/language.ts'
import { en } from './en.ts'

/** Translates messages shared by several console pages. */
export const ts = createTranslator(en, () => import('./zh.ts'))
