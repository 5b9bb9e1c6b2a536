import type { en } from './en.ts'
import { zhChat } from './zh-chat.ts'
import { zhPanels } from './zh-panels.ts'
import { zhSharing } from './zh-sharing.ts'
import { zhStates } from './zh-states.ts'

export const zh: Record<keyof typeof en, string> = { ...zhChat, ...zhPanels, ...zhSharing, ...zhStates }
