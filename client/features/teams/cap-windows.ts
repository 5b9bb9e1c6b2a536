/** The windows of a member's cap, with their usual labels. */
import { ts } from '#client/console/messages.ts'

/** In the order of a form. */
export const capWindows = ['daily', 'weekly', 'monthly', 'total'] as const

/** The label of a window's field. */
export const windowLabel = (window: (typeof capWindows)[number]): string => ts(window)
