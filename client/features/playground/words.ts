/** Words of the playground. English is built in; the others come when they are chosen. */
import { words } from '#client/ui/language.ts'
import { en } from './words/en.ts'

export const say = words(en, () => import('./words/zh.ts'))
export type Word = keyof typeof en
