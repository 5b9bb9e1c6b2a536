/** Words of the sign-in page. */
import { words } from '#client/ui/language.ts'
import { en } from './en.ts'

export const say = words(en, () => import('./zh.ts'))
