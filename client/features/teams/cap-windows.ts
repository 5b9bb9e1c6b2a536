/** The windows of a member's cap, as the console names them everywhere. */
import { ts } from '#client/console/messages.ts'

/** In the order of a form. */
export const capWindows = ['daily', 'weekly', 'monthly', 'total'] as const

/** What a field of this window is called. */
export const windowLabel = (window: (typeof capWindows)[number]): string => ts(window)
