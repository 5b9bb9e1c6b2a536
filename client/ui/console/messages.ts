import { createTranslator } from '#client/ui/language.ts'
import { en } from './en.ts'

/** Translates what all console pages say alike: buttons, states, errors. */
export const tc = createTranslator(en, () => import('./zh.ts'))
