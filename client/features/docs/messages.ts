import { createTranslator } from '#client/ui/language.ts'
import { en } from './en.ts'

/** Translates the messages of the API reference. The reference itself comes from the server, in the same language. */
export const t = createTranslator(en, () => import('./zh.ts'))
