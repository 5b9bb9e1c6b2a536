import { createTranslator } from '#client/ui/language.ts'
import { en } from './en.ts'

/** Translates the messages of the pages about replays. */
export const t = createTranslator(en, () => import('./zh.ts'))
