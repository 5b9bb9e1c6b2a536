/** Words of the playground. English is built in; the others come when they are chosen. */
import { createTranslator } from '#client/ui/language.ts'
import { en } from './en.ts'

export const t = createTranslator(en, () => import('./zh.ts'))
export type MessageKey = keyof typeof en
