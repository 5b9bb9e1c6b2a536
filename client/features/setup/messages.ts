/** Words of the setup page. */
import { createTranslator } from '#client/ui/language.ts'
import { en } from './en.ts'

export const t = createTranslator(en, () => import('./zh.ts'))
