/** Words of the playground. English is built in; the others come when they are chosen. */
import { createTranslator } from '#client/ui/language.ts'
import { en } from './words/en.ts'

export const say = createTranslator(en, () => import('./words/zh.ts'))
export type MessageKey = keyof typeof en
