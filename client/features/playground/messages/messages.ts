/** Messages of the playground. English is built in; Chinese is loaded when it is chosen. */
import { createTranslator } from '#client/ui/language.ts'
import { en } from './en.ts'

/** Translates the messages of the playground. */
export const t = createTranslator(en, () => import('./zh.ts'))
/** Key of a message of the playground. */
export type MessageKey = keyof typeof en
