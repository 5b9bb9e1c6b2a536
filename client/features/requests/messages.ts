import { createTranslator } from '#client/ui/language.ts'
import { en } from './en.ts'

/** Translates the messages of the pages about requests. */
export const t = createTranslator(en, () => import('./zh.ts'))
/** The key of a message. */
export type MessageKey = keyof typeof en
