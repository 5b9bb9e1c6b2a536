import { createTranslator } from '#client/ui/language.ts'
import { en } from './en.ts'

/** Translates messages common to all console pages: buttons, states, errors. */
export const tc = createTranslator(en, () => import('./zh.ts'))
